import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEdgeRig } from './edge-rig.ts';
import { createIdentityRig, type IdentityRig } from './identity-rig.ts';

let identity: IdentityRig;
beforeEach(async () => {
  identity = await createIdentityRig();
});
afterEach(() => identity.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

test('OAuth endpoints return 429 as an OAuth error and sign-in pages return 429 as HTML to an IP address over its rate limit', async () => {
  const { app } = createEdgeRig({ anonymous: { perHour: 100, burst: 4 } });
  await identity.startProcess().mount(app);
  const ask = () =>
    app.inject({ method: 'POST', url: '/oauth/token', headers: FORM, payload: 'grant_type=client_credentials&client_id=client_none' });
  expect((await ask()).json()).toMatchObject({ error: 'invalid_client' });
  expect((await ask()).headers['x-ratelimit-burst-remaining']).toBe('0');

  const refused = await ask();
  expect(refused.statusCode).toBe(429);
  expect(refused.json()).toEqual({ error: 'temporarily_unavailable', error_description: expect.stringContaining('Try again in') });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);

  const page = await app.inject({ url: '/oauth/device' });
  expect([page.statusCode, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
  expect(page.body).toContain('Too many requests');
  await app.close();
});

test('OAuth endpoints record the forwarded address in the audit log only if a trusted proxy sent it', async () => {
  const { app } = createEdgeRig({ trustedProxies: ['127.0.0.1'] });
  const running = identity.startProcess();
  await running.mount(app);
  const refused = (remoteAddress: string) =>
    app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { ...FORM, 'x-forwarded-for': '203.0.113.7' },
      payload: 'grant_type=client_credentials&client_id=client_none&client_secret=x',
      remoteAddress,
    });
  await refused('127.0.0.1');
  await refused('192.0.2.1');
  await running.core.trail.flush();
  const addresses = await identity.orm.em.getConnection().execute('select ip_address from identity.audit_record order by id');
  expect(addresses).toEqual([{ ip_address: '203.0.113.7' }, { ip_address: '192.0.2.1' }]);
  await app.close();
});
