import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Rows } from '../../kernel/database/database.ts';
import { type Rig, start } from '../rig.ts';
import { freshAddress } from '../support/addresses.ts';
import type { Json, Tenant } from '../tenant.ts';

const REQUESTS = 250;
const ADDRESS_PER_MINUTE = 100;

let own: Rig;
let probe: Rows;
let tenant: Tenant;
beforeAll(async () => {
  own = await start({ TRUSTED_PROXIES: '127.0.0.0/8,::1', ANONYMOUS_PER_MINUTE: String(ADDRESS_PER_MINUTE), ANONYMOUS_PER_HOUR: '1000' });
  probe = (await own.assembly.databases.storeOf({ schema: 'test_probe', entities: [], migrations: [] })).rows;
  tenant = await own.organization();
});
afterAll(() => own.close());

const keyWith = async (members: object): Promise<Json> =>
  (await tenant.rest('POST', '/auth/api-keys', { body: { name: 'Key', permissions: ['accounts:read'], ...members } })).body.api_key;

/** Sends many requests from one address, each with a different long User-Agent, and counts the response statuses. */
async function flood(key: string, ip: string): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (let count = 0; count < REQUESTS; count++) {
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': ip, 'user-agent': `${count} ${'x'.repeat(8_000)}` };
    const { status } = await fetch(`${own.origin}/v1/accounts`, { headers });
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

async function recordsOf(ip: string, eventType: string): Promise<{ reason: string | null; user_agent: string }[]> {
  await own.assembly.domains.identity.core.trail.flush();
  return probe.query('select "reason", "user_agent" from "identity"."audit_record" where "ip_address" = $1 and "event_type" = $2', [
    ip,
    eventType,
  ]);
}

test.each([
  [
    'restricted to other IP addresses',
    freshAddress(),
    'address',
    async () => keyWith({ restrictions: { ip_whitelist: ['198.51.100.1'] } }),
  ],
  [
    'expired',
    freshAddress(),
    'expired',
    async () => {
      const key = await keyWith({ restrictions: { expires_at: new Date(own.clock.now().getTime() + 60_000).toISOString() } });
      own.clock.advance(120_000);
      return key;
    },
  ],
])(
  'repeated requests with a key that is %s create one audit record and count against the rate limit of their IP address',
  async (_, ip, reason, make) => {
    const { key } = await make();
    const statuses = await flood(key, ip);
    expect(statuses[429]).toBe(REQUESTS - ADDRESS_PER_MINUTE);
    const records = await recordsOf(ip, 'authentication_failure');
    expect(records.map((record) => record.reason)).toEqual([reason]);
    expect(records[0]?.user_agent).toHaveLength(500);
  },
);

test('rejected requests with a key that was valid before count against the rate limit of their IP address', async () => {
  const ip = freshAddress();
  const { key, id } = await keyWith({});
  const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': ip };
  expect((await fetch(`${own.origin}/v1/accounts`, { headers })).status).toBe(200);
  await tenant.rest('PUT', `/auth/api-keys/${id}`, { body: { restrictions: { ip_whitelist: ['198.51.100.1'] } } });
  expect((await flood(key, ip))[429]).toBe(REQUESTS - ADDRESS_PER_MINUTE);
  expect(await recordsOf(ip, 'authentication_failure')).toHaveLength(1);
});

test('requests with one key and many different User-Agents create at most fifty audit records of accepted requests per hour', async () => {
  const ip = freshAddress();
  const { key } = await keyWith({ rate_limit: { burst_limit: 2 } });
  expect(await flood(key, ip)).toEqual({ 200: 2, 429: 1, 403: REQUESTS - 3 });
  expect(await recordsOf(ip, 'authentication_success')).toHaveLength(50);
});
