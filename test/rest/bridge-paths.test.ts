import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rewriteUrl } from '../../rest-bridge/paths.ts';
import { startToyApp, type ToyApp } from './fixtures/toy-app.ts';

let toy: ToyApp;
beforeAll(async () => {
  toy = await startToyApp();
});
afterAll(() => toy.app.close());

describe('path aliases', () => {
  test.each([
    ['/api/v1/accounts?page=2', '/v1/accounts?page=2'],
    ['/v1/services/connectivity/internet', '/v1/connectivity/internet'],
    ['/api/v1/services/voice/calls/1?x=1', '/v1/voice/calls/1?x=1'],
    ['/v1/services/ai/models', '/v1/ai/models'],
    ['/v1/services/security/services', '/v1/security/services'],
    ['/v1/services/cloud/platforms-old', '/v1/cloud/platforms-old'],
  ])('the alias path %s is rewritten to %s', (alias, canonical) => {
    expect(rewriteUrl({ url: alias })).toBe(canonical);
  });

  test.each([
    '/v1/services/cloud/platforms',
    '/v1/services/cloud/platforms?page=1',
    '/v1/services/cloud/platforms/pf_1',
    '/v1/services/security/managed',
    '/v1/services/security/infrastructure',
    '/v1/services/ai/platforms',
    '/v1/services/svc_1/status',
    '/v1/services/connectivity',
    '/v1/services',
    '/graphql',
    '/api/v2/x',
    '/',
  ])('the path %s is not rewritten as an alias', (url) => {
    expect(rewriteUrl({ url })).toBe(url);
  });

  test('a request to an alias path returns the same response as the canonical path', async () => {
    const response = await toy.send({ url: '/api/v1/priorities' });
    expect(response.json()).toEqual(['low', 'high']);
  });
});

describe('documentation page', () => {
  test('the documentation page includes its script, and its Content-Security-Policy forbids requests to other hosts', async () => {
    const page = await toy.send({ url: '/docs/' });
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'self'; script-src 'self' 'sha256-/);
    expect(page.body).toContain('/v1/openapi.json');
    expect(page.body.match(/(?:src|href)="https?:/g)).toBeNull();
    const script = await toy.send({ url: '/docs/js/scalar.js' });
    expect([script.statusCode, script.body.length > 1_000_000]).toEqual([200, true]);
  });

  test('GET / redirects to the documentation page with 302', async () => {
    const response = await toy.send({ url: '/' });
    expect([response.statusCode, response.headers.location]).toEqual([302, '/docs/']);
  });

  test('GET /docs redirects to /docs/ with 301', async () => {
    const response = await toy.send({ url: '/docs' });
    expect([response.statusCode, response.headers.location]).toEqual([301, '/docs/']);
  });
});
