import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../kernel/settings/config.ts';
import { settings } from '../../kernel/settings/settings.ts';
import { REFERENCES, SOURCE } from '../../rest-bridge/guide.build.ts';

interface Service {
  image?: string;
  build?: string;
  ports?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  stop_grace_period?: string;
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const compose = parse(read('docker-compose.yml')) as { services: Record<string, Service>; volumes: Record<string, null> };
const platform = compose.services.platform as Service;

/**
 * Substitutes variables as Docker Compose does: `${NAME:-default}`, and `${NAME:?message}`, which fails without NAME.
 */
function substitute(text: string, environment: Record<string, string>): string {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, operator: string, operand: string) => {
    const value = environment[name];
    if (value) return value;
    if (operator === '?') throw new Error(operand);
    return operand ?? '';
  });
}

const environmentWith = (variables: Record<string, string>) =>
  Object.fromEntries(Object.entries(platform.environment ?? {}).map(([name, text]) => [name, substitute(text, variables)]));

test('the compose file with two secrets configures a platform on PostgreSQL and Redis', () => {
  const environment = environmentWith({ POSTGRES_PASSWORD: 'p'.repeat(48), SECRET_KEY: 'k'.repeat(64) });
  const known = new Set(Object.values(settings).map(({ name }) => name as string));
  expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
  expect(loadConfig(environment)).toMatchObject({
    databaseUrl: `postgres://platform:${'p'.repeat(48)}@postgres:5432/platform`,
    redisUrl: 'redis://redis:6379',
    publicOrigin: 'http://localhost:4000',
  });
});

test('the compose file fails without POSTGRES_PASSWORD or SECRET_KEY and names the missing variable', () => {
  expect(() => environmentWith({ SECRET_KEY: 'k'.repeat(64) })).toThrow('POSTGRES_PASSWORD');
  expect(() => environmentWith({ POSTGRES_PASSWORD: 'p' })).toThrow('SECRET_KEY');
});

test('in the compose file the platform waits for PostgreSQL and Redis to be healthy, and their data is stored in volumes', () => {
  for (const [name, { condition }] of Object.entries(platform.depends_on ?? {})) {
    expect(condition).toBe('service_healthy');
    expect(compose.services[name]?.healthcheck?.test.length).toBeGreaterThan(1);
    for (const volume of compose.services[name]?.volumes ?? []) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
  }
  expect(Object.keys(platform.depends_on ?? {})).toEqual(['postgres', 'redis']);
});

test("the compose file mounts a named volume at the image's data folder, so that attachments are kept", () => {
  const dataFolder = /\bDATA_DIR=(\S+)/.exec(read('Dockerfile'))?.[1];
  expect(platform.volumes).toEqual([`platform:${dataFolder}`]);
  expect(Object.keys(compose.volumes)).toContain('platform');
});

test('the compose file publishes only the port of the platform, on the loopback address', () => {
  for (const [name, service] of Object.entries(compose.services))
    expect(service.ports ?? []).toEqual(name === 'platform' ? ['127.0.0.1:4000:4000'] : []);
});

test('stop_grace_period in the compose file is longer than the shutdown timeout of the platform', () => {
  const graceMs = Number.parseInt(platform.stop_grace_period ?? '0', 10) * 1000;
  expect(graceMs).toBeGreaterThan(loadConfig({}).shutdownTimeoutMs);
});

const INSTRUCTIONS = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'VOLUME', 'EXPOSE', 'STOPSIGNAL', 'HEALTHCHECK', 'CMD'];

/** The instructions of the Dockerfile, with continued lines joined and comments removed. */
function instructions(): [string, string][] {
  const lines = read('Dockerfile')
    .split('\n')
    .filter((line) => !/^\s*#/.test(line));
  const joined = lines
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter(Boolean);
  return joined.map((line) => line.split(/\s+(.*)/s, 2) as [string, string]);
}

test('the Dockerfile contains only known instructions, and every file that it copies from the repository exists', () => {
  for (const [name, rest] of instructions()) {
    expect(INSTRUCTIONS).toContain(name);
    if (name !== 'COPY') continue;
    const sources = rest
      .split(/\s+/)
      .slice(0, -1)
      .filter((word) => !word.startsWith('--'));
    if (!rest.startsWith('--from'))
      for (const source of sources) expect(existsSync(new URL(`../../${source}`, import.meta.url))).toBe(true);
  }
});

test('the container image runs Node directly as an unprivileged user and has a health check of /readyz', () => {
  const all = instructions();
  const last = (name: string) => all.findLast(([one]) => one === name)?.[1] ?? '';
  expect(last('USER')).toBe('node');
  expect(JSON.parse(last('CMD'))).toEqual(['node', 'dist/programs/platform.js']);
  expect(last('HEALTHCHECK')).toContain('/readyz');
  expect(all.filter(([name]) => name === 'FROM').every(([, image]) => image.startsWith('node:24-slim'))).toBe(true);
  const ignored = read('.dockerignore').split('\n');
  for (const path of ['node_modules', 'data', '.git', '.env*', 'bench', 'test']) expect(ignored).toContain(path);
});

test('guide pages are part of the image build, and setup.mjs repeats the build when a guide page changes', () => {
  const ignored = read('.dockerignore').split('\n');
  const sources = read('scripts/setup.mjs');
  for (const path of [SOURCE, ...REFERENCES]) {
    expect(ignored).toContain(`!${path}`);
    expect(sources).toContain(`'${path}'`);
  }
});
