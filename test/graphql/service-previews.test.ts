import { beforeAll, describe, expect, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import { serviceThatIs, settledRecord, tenantWithAccount } from '../services.setup.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const ORDER = `query ($input: CatalogOrderInput!) {
  preview: orderPreview(input: $input) {
    problems { code field message details } monthlyPrice oneTimeFee currency parts { item unit quantity unitPrice }
  }
}`;
const CHANGE = `query ($id: ID!, $input: ServiceChangeInput!) {
  preview: changePreview(id: $id, input: $input) { problems { code field message details } changes monthlyPrice priceDifference }
}`;
const preview = async (query: string, variables: object, of = tenant): Promise<Json> => {
  const { data, errors } = await of.graphql(query, variables as Record<string, unknown>);
  expect(errors ?? []).toEqual([]);
  return data.preview;
};
const total = async (): Promise<number> => (await tenant.graphql('{ services { pageInfo { total } } }')).data.services.pageInfo.total;

/** Returns a generator of pseudo-random choices, which are the same in each run. */
function choices(seed: number): <T>(list: readonly T[]) => T {
  let state = seed;
  return (list) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return list[state % list.length] as (typeof list)[number];
  };
}

describe('previews of orders', () => {
  test('the preview of a random order has the price of the order, or the error code with which the order is refused', async () => {
    const pick = choices(7);
    for (let round = 0; round < 25; round += 1) {
      const order = {
        catalog_id: pick(['business_fiber', 'business_cable', 'business_dsl', 'cloud_pbx', 'carrier_pigeon']),
        bandwidth: pick(['100mbps', '500mbps', '10gbps', '7gbps']),
        sla: pick(['standard', 'enterprise', 'gold']),
        features: ['static_ip', 'ddos_protection', 'fast_lane'].filter(() => pick([true, false, false])),
        location: pick([LOCATION, LOCATION, { address: '1 Beale Street', city: 'Memphis', state: 'TN', zip: '38103' }]),
        account_id: accountId,
      };
      const before = await total();
      const { catalog_id: catalogId, account_id: account, ...others } = order;
      const shown = await preview(ORDER, { input: { ...others, catalogId, accountId: account } });
      expect(await total()).toBe(before);
      const { status, body } = await tenant.rest('POST', '/services', { body: order });
      if (status === 201) {
        expect(shown).toMatchObject({ problems: [], monthlyPrice: body.data.monthly_price, oneTimeFee: body.data.one_time_fee });
        const sum = shown.parts.reduce((all: number, part: Json) => all + Math.round(part.quantity * part.unitPrice * 100) / 100, 0);
        expect(sum).toBeCloseTo(body.data.monthly_price, 6);
      } else {
        expect(shown).toMatchObject({ monthlyPrice: null, parts: [] });
        expect(new Set(shown.problems.map(({ code }: Json) => code))).toEqual(new Set([body.error.code]));
      }
    }
  });

  test('the preview of an order with several invalid values has a problem for each invalid field', async () => {
    const input = { catalogId: 'business_fiber', bandwidth: '7gbps', sla: 'gold', features: ['fast_lane'], location: LOCATION };
    const { problems } = await preview(ORDER, { input });
    expect(problems.map(({ field }: Json) => field).sort()).toEqual(['bandwidth', 'features.0', 'sla']);
  });
});

describe('previews of changes', () => {
  test('the preview of a change has the values and the price that the service has after the change, and changes nothing', async () => {
    const pick = choices(11);
    const { id } = await serviceThatIs('operational', tenant, accountId, { bandwidth: '500mbps', sla: 'standard' });
    const read = async (): Promise<Json> => (await tenant.rest('GET', `/services/${id}`)).body.data;
    for (let round = 0; round < 12; round += 1) {
      const change = {
        bandwidth: pick(['100mbps', '1gbps', '2gbps', '7gbps']),
        sla: pick(['standard', 'business']),
        name: pick(['One', 'Two']),
      };
      const before = await read();
      const shown = await preview(CHANGE, { id, input: change });
      expect(await read()).toEqual(before);
      const { status, body } = await tenant.rest('PUT', `/services/${id}`, { body: change });
      if (status !== 200) {
        expect(shown).toMatchObject({ changes: null, problems: [{ code: body.error.code, field: 'bandwidth' }] });
        continue;
      }
      const after = await settledRecord(read);
      expect(shown).toMatchObject({ problems: [], monthlyPrice: after.monthly_price });
      expect(shown.priceDifference).toBeCloseTo(after.monthly_price - before.monthly_price, 6);
      for (const [field, { to }] of Object.entries<Json>(shown.changes)) expect(after[field]).toEqual(to);
    }
  });

  test('the preview of adding a feature whose required feature is not switched on names the missing feature', async () => {
    const { id } = await serviceThatIs('operational', tenant, accountId, { sla: 'standard' });
    expect((await preview(CHANGE, { id, input: { features: { ddos_protection: true } } })).problems).toMatchObject([
      { code: 'SERVICE_CONFLICT', details: { requires: ['static_ip'] } },
    ]);
    expect(await preview(CHANGE, { id, input: { features: ['static_ip'] } })).toMatchObject({ problems: [], priceDifference: 15 });
  });

  test('the preview of a service of another organization is null', async () => {
    const { id } = await serviceThatIs('operational', tenant, accountId);
    const other = await (await rig()).organization();
    expect(await preview(CHANGE, { id, input: { name: 'Mine' } }, other)).toBeNull();
  });
});
