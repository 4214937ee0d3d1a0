import { beforeAll, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import type { Tenant } from '../tenant.ts';

const ORDER = {
  service_type: 'fiber',
  // without it, the order also reads what the account prefers
  billing_cycle: 'monthly',
  bandwidth: '1000mbps',
  location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
};

let platform: Rig;
let tenant: Tenant;
const order = () => tenant.rest('POST', '/connectivity/internet', { body: ORDER });

beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
  // the first order caches the API key and the query plans
  expect((await order()).status).toBe(201);
});

/** The tables of the round trips of an operation. Each string names the statements that were sent in one round trip. */
async function roundTrips(act: () => Promise<unknown>): Promise<string[]> {
  const seen = await platform.clock.standingStill(() => platform.roundTrips(act));
  return seen.map((batch) => batch.map((sql) => /(?:insert into|from) "?\w+"?\."?(\w+)/.exec(sql)?.[1] ?? sql.split(/\W/, 1)[0]).join(' '));
}

test.runIf(process.env.TEST_DATABASE_URL)(
  'an order reads account, catalog and coverage, and is then stored in one round trip to the database',
  async () => {
    const [account, catalog, coverage, ...rest] = await roundTrips(order);
    expect([account, catalog, coverage]).toEqual(['account', 'catalog_bandwidth', 'coverage_technology']);
    expect(rest).toEqual(['begin service service_status_change job commit']);
  },
);
