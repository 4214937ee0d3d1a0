import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { onRig, type Rig, rig, start } from '../rig.ts';
import { openapi } from '../support/operations.ts';
import { lastingPort } from '../support/port.ts';
import { followPage, testWithShell } from '../support/runnable-page.ts';
import { firstOwner } from './first-owner.ts';

const PAGES = readdirSync('docs/guide').filter((name) => name !== 'README.md' && name !== 'sandbox.md');

describe('guide commands and output', () => {
  // a separate platform, because other tests move the shared clock, and commands such as openssl use the system time
  let platform: Rig;
  beforeAll(async () => {
    platform = await start({}, new TestClock());
  });
  afterAll(() => platform.close());

  testWithShell.each(PAGES)('the commands of the guide page %s succeed and print the output that the page shows', async (name) => {
    const { key, email, password } = await onRig(platform, () => firstOwner());
    await followPage(`docs/guide/${name}`, {
      environment: { ORIGIN: platform.origin, KEY: key, EMAIL: email, PASSWORD: password },
      replacements: { '3000': String(await lastingPort()), 'http://127.0.0.1:4000': platform.origin, 'sk_live_…': key },
    });
  });

  testWithShell('the commands of the guide page sandbox.md succeed and print the output that the page shows', async () => {
    const sandbox = await start({ SANDBOX: '1' }, new TestClock());
    try {
      const { apiKey } = await sandbox.organization();
      await followPage('docs/guide/sandbox.md', {
        environment: {},
        replacements: { 'http://127.0.0.1:4001': sandbox.origin, 'KEY=test_sk_…': `KEY=${apiKey}` },
      });
    } finally {
      await sandbox.close();
    }
  });
});

test.each(PAGES)('every REST operation that the guide page %s mentions is in the OpenAPI document', (name) => {
  const named = [...readFileSync(`docs/guide/${name}`, 'utf8').matchAll(/`(GET|POST|PUT|DELETE) \/v1([^`\s?]*)/g)];
  for (const [, method = '', path = ''] of named) expect(openapi.paths[path]?.[method.toLowerCase()], `${method} ${path}`).toBeDefined();
});

describe('served guide', () => {
  const get = async (path: string): Promise<{ status: number; headers: Headers; text: string }> => {
    const response = await fetch((await rig()).origin + path, { redirect: 'manual', headers: { accept: 'text/html' } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const linksIn = (text: string): string[] =>
    [...text.matchAll(/ href="([^"]+)"/g)].map(([, link = '']) => link).filter((link) => link.startsWith('/'));
  const idsIn = (text: string): string[] => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);

  test('the guide pages require no credentials, contain no scripts and have only valid links', async () => {
    const open = ['/docs/guide'];
    const pages = new Map<string, string>();
    const links: [string, string][] = [];
    for (const path of open) {
      const { status, headers, text } = await get(path);
      expect([status, headers.get('content-type')], path).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/);
      expect(text).not.toContain('<script');
      pages.set(path, text);
      for (const link of linksIn(text)) {
        links.push([path, link]);
        const [target = ''] = link.split('#');
        if (target.startsWith('/docs/guide') && !open.includes(target)) open.push(target);
      }
    }
    // more pages than files, because generated reference pages are served, too
    expect(pages.size).toBeGreaterThan(readdirSync('docs/guide').length);
    const elsewhere = [...new Set(links.map(([, link]) => link.split('#', 1)[0] ?? ''))].filter((target) => !pages.has(target));
    for (const target of elsewhere) expect((await get(target)).status, target).toBeLessThan(400);
    for (const [path, link] of links) {
      const [target = '', fragment] = link.split('#');
      if (fragment) expect(idsIn(pages.get(target) ?? ''), `${path} links to ${link}`).toContain(fragment);
    }
  });

  test('the guide and the API reference link to each other', async () => {
    const { text } = await get('/v1/openapi.json');
    expect(JSON.parse(text).info.description).toContain('](/docs/guide)');
    expect(linksIn((await get('/docs/guide')).text)).toContain('/docs');
  });

  test('every heading in the navigation of the guide has at least one page', async () => {
    expect((await get('/docs/guide')).text).not.toContain('<ul></ul>');
  });

  test('an unknown guide page returns 404, and a guide page with a matching ETag returns 304', async () => {
    expect((await get('/docs/guide/nothing')).status).toBe(404);
    expect((await get('/docs/guide/index')).status).toBe(404);
    const { origin } = await rig();
    const tag = (await get('/docs/guide/webhooks')).headers.get('etag') ?? '';
    expect((await fetch(`${origin}/docs/guide/webhooks`, { headers: { 'if-none-match': tag } })).status).toBe(304);
  });
});
