import { expect, test } from 'vitest';
import { eventually, rig } from '../rig.ts';

test('a null character in an unauthenticated request does not prevent later audit records', async () => {
  const platform = await rig();
  const body = new URLSearchParams({ grant_type: 'no\0grant', client_id: 'nobody' });
  const refused = await fetch(`${platform.origin}/oauth/token`, { method: 'POST', body });
  expect(refused.status).toBeLessThan(500);
  const tenant = await platform.organization();
  await eventually(async () => {
    const { body: response } = await tenant.rest('GET', '/auth/audit?authentication_method=api_key');
    return response.data.length > 0;
  }, 10_000);
});
