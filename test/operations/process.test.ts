import { Agent, get } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { Assemble, Assembly } from '../../apps/platform/assembly.ts';
import { type Platform, startPlatform } from '../../apps/platform/platform.ts';
import { InvalidCredentials } from '../../kernel/access/credentials.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { loadConfig } from '../../kernel/settings/config.ts';
import { lastingPort } from '../support/port.ts';
import { temporaryFolder } from '../support/process.ts';

/** Starts a platform without domains, to test the parts that do not depend on domains. `parts` replaces parts of the assembly. */
async function start(parts: Partial<Assembly> = {}, settings: Record<string, string> = {}): Promise<Platform> {
  const assemble: Assemble = async () => ({
    authenticate: () => Promise.reject(new InvalidCredentials('The API key is not valid.')),
    isFamiliar: () => false,
    mount: async () => {},
    startWork: async () => {},
    checks: {},
    close: async () => {},
    ...parts,
  });
  const config = loadConfig({ PORT: '0', DATA_DIR: temporaryFolder(), ...settings });
  const platform = await startPlatform(config, assemble, { log: createLogger({ level: 'silent' }) });
  onTestFinished(() => platform.close());
  return platform;
}

test('/healthz and /readyz respond without credentials and do not count towards the rate limit', async () => {
  const { origin } = await start({ checks: { database: async () => {} } });
  for (let count = 0; count < 3; count++) {
    const answer = await fetch(`${origin}/healthz`);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('1000');
  }
  const ready = await fetch(`${origin}/readyz`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toEqual({ status: 'ready', checks: { database: 'ok' } });
});

test('/readyz returns 503 if a dependency fails, and names the dependency without details', async () => {
  const { origin } = await start({
    checks: {
      database: async () => {
        throw new Error('password of user postgres is hunter2');
      },
      relay: async () => {},
    },
  });
  const answer = await fetch(`${origin}/readyz`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({ status: 'not_ready', checks: { database: 'failed', relay: 'ok' } });
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
});

test('/readyz returns 503 with a reason until the start of the platform is complete', async () => {
  const port = await lastingPort();
  const work = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const starting = start(
    {
      async startWork() {
        begun.resolve();
        await work.promise;
      },
      checks: { database: async () => {} },
    },
    { PORT: String(port) },
  );
  await begun.promise;
  const early = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect(early.status).toBe(503);
  expect(await early.json()).toEqual({
    status: 'not_ready',
    reason: 'The start has not finished: background work is being started.',
    checks: { database: 'ok' },
  });
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  work.resolve();
  const { origin } = await starting;
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
});

test('/metrics counts requests by route, and returns 404 to clients on other hosts', async () => {
  const { origin } = await start();
  await fetch(`${origin}/healthz`);
  const text = await (await fetch(`${origin}/metrics`)).text();
  expect(text).toMatch(/http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} 1/);
  expect((await fetch(`${origin}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.9' } })).status).toBe(404);
});

test('if METRICS_TOKEN is set, /metrics returns 404 for requests without this token', async () => {
  const METRICS_TOKEN = 'a-token-of-some-length';
  const { origin } = await start({}, { METRICS_TOKEN });
  expect((await fetch(`${origin}/metrics`)).status).toBe(404);
  expect((await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).status).toBe(200);
});

test('closing the platform completes running requests, closes idle connections, and then closes the database', async () => {
  const order: string[] = [];
  const release = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const platform = await start({
    mount: async (app) => {
      app.addHook('preClose', async () => void order.push('closing'));
      app.get('/slow', { config: { access: 'public' } }, async () => {
        entered.resolve();
        await release.promise;
        order.push('responded');
        return { done: true };
      });
    },
    close: async () => void order.push('database closed'),
  });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const answer = new Promise<number | undefined>((resolve, reject) => {
    get(`${platform.origin}/slow`, { agent }, (response) => response.resume().on('end', () => resolve(response.statusCode))).on(
      'error',
      reject,
    );
  });
  await entered.promise;

  const closed = platform.close();
  await expect.poll(() => order).toEqual(['closing']);
  release.resolve();
  expect(await answer).toBe(200);
  await closed;
  expect(order).toEqual(['closing', 'responded', 'database closed']);
  await expect(fetch(`${platform.origin}/healthz`)).rejects.toThrow();
});

test('if background work fails to start, the platform closes the assembly and releases its data folder', async () => {
  const DATA_DIR = temporaryFolder();
  const closed: string[] = [];
  const broken: Partial<Assembly> = {
    startWork: () => Promise.reject(new Error('no work')),
    close: async () => void closed.push('assembly'),
  };
  await expect(start(broken, { DATA_DIR })).rejects.toThrow('no work');
  expect(closed).toEqual(['assembly']);
  await start({}, { DATA_DIR });
});

test('a second embedded platform on the same data folder fails to start', async () => {
  const settings = { DATA_DIR: temporaryFolder(), SECRET_KEY: 'k'.repeat(32) };
  await start({}, settings);
  await expect(start({}, settings)).rejects.toThrow('is in use by process');
});

test('the embedded platform creates a secret key once and uses it again after a restart', async () => {
  const DATA_DIR = temporaryFolder();
  const secrets: string[] = [];
  const config = loadConfig({ PORT: '0', DATA_DIR });
  const assemble: Assemble = async ({ secretKeys }) => {
    secrets.push(...secretKeys);
    throw new Error('enough');
  };
  for (let count = 0; count < 2; count++)
    await expect(startPlatform(config, assemble, { log: createLogger({ level: 'silent' }) })).rejects.toThrow('enough');
  expect(secrets[0]).toMatch(/^[\w-]{43}$/);
  expect(secrets[1]).toBe(secrets[0]);
});
