import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount, LOCATION } from '../billing.setup.ts';
import { inDays, readRequest, requested, requestProvisioning, requestThatIs } from '../provisioning.setup.ts';
import { eventually, rig } from '../rig.ts';
import { tenantWithAccount } from '../services.setup.ts';
import { rows } from '../support/tables.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

const DAY_MS = 86_400_000;
const FIBER = { type: 'fiber', bandwidth: '1gbps', location: LOCATION, features: ['static_ip'] };
const TERM = { billing_preferences: { term: '36_months' } };

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const quoted = async (services: object[] = [FIBER], more: object = {}): Promise<Json> => {
  const { status, body } = await tenant.rest('POST', '/services/quotes', { body: { account_id: accountId, services, ...more } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
};
const quoteOf = async (id: string): Promise<Json> => (await tenant.rest('GET', `/services/quotes/${id}`)).body.data;
const serviceOf = async ({ service_id }: Json): Promise<Json> => (await tenant.rest('GET', `/services/${service_id}`)).body.data;
const change = (id: string, body: Json): Promise<RestResponse> => tenant.rest('PUT', `/services/provision/${id}`, { body });
const servicesCount = async (): Promise<number> =>
  (await tenant.graphql('{ services { pageInfo { total } } }')).data.services.pageInfo.total;
const requestsCount = async (): Promise<number> =>
  (await tenant.graphql('{ provisioningRequests { pageInfo { total } } }')).data.provisioningRequests.pageInfo.total;

const thatHasEnded = (id: string): Promise<Json> =>
  eventually(async () => {
    const record = await readRequest(tenant, id);
    return ['completed', 'failed'].includes(record.status) && record;
  });

/** Returns the body of a provisioning request for the service in `FIBER`. */
const request = (quote_id: string, more: object = {}): Json => ({
  service_template: 'business_fiber',
  customizations: { bandwidth: '1gbps' },
  features: ['static_ip'],
  location: LOCATION,
  quote_id,
  ...more,
});
const scheduled = (quoteId: string, days: number, more: object = {}): Promise<Json> =>
  requested(tenant, request(quoteId, { deployment_schedule: { preferred_date: inDays(days) }, ...more }));

describe('provisioning requests with a quote', () => {
  test('a provisioning request orders its service with the price, term and account of its quote, which becomes accepted', async () => {
    const { id, monthly_total } = await quoted([FIBER], TERM);
    const taken = await requested(tenant, request(id));
    expect(taken).toMatchObject({ status: 'acknowledged', quote_id: id, quote_line: null, account_id: accountId });
    expect(await serviceOf(taken)).toMatchObject({ quote_id: id, monthly_price: monthly_total, term_months: 36, one_time_fee: 0 });
    expect(await quoteOf(id)).toMatchObject({ status: 'accepted', lines: [{ service_id: taken.service_id }] });
    const again = await requestProvisioning(tenant, request(id));
    expect([again.status, again.body.error]).toMatchObject([
      409,
      { code: 'INVALID_STATE', details: { resource: 'quote', from: 'accepted' } },
    ]);
  });

  test.each([
    ['a SIP trunk', { type: 'sip_trunking', users: 10 }, { service_template: 'sip_trunking', customizations: { channels: 10 } }],
    [
      'a network',
      { type: 'mpls', bandwidth: '500mbps', users: 2 },
      {
        service_template: 'mpls_network',
        customizations: {
          bandwidth: '500mbps',
          topology: 'full_mesh',
          locations: [
            { id: 'a', address: '1 Main Street' },
            { id: 'b', address: '2 Main Street' },
          ],
        },
      },
    ],
  ])('the service of a provisioning request for %s gets the quoted price', async (_, line, body) => {
    const { id, monthly_total } = await quoted([line], TERM);
    const taken = await requested(tenant, { ...body, quote_id: id });
    expect(await serviceOf(taken)).toMatchObject({ quote_id: id, monthly_price: monthly_total, term_months: 36 });
  });

  test('if eight concurrent provisioning requests use the same quote, one is accepted, and nothing is stored for the others', async () => {
    const { id } = await quoted();
    const before = [await servicesCount(), await requestsCount()];
    const responses = await Promise.all(Array.from({ length: 8 }, () => requestProvisioning(tenant, request(id))));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect([await servicesCount(), await requestsCount()]).toEqual(before.map((count) => count + 1));
  });

  test('quote_line selects the quote line that a provisioning request orders, and each line can be ordered only once', async () => {
    const { id } = await quoted([{ ...FIBER, bandwidth: '2gbps' }, FIBER]);
    const taken = await requested(tenant, request(id, { quote_line: 1 }));
    expect((await quoteOf(id)).lines.map(({ service_id }: Json) => service_id)).toEqual([null, taken.service_id]);
    const { body } = await requestProvisioning(tenant, request(id, { quote_line: 1 }));
    expect(body.error).toMatchObject({ code: 'SERVICE_CONFLICT', details: { resource: 'quote', line: 1 } });
  });

  test('a provisioning request that differs from its quote returns 409 with each difference, even if fields are missing', async () => {
    const { id } = await quoted();
    const wrong = { customizations: { bandwidth: '2gbps' }, features: [], sla: 'business', location: { ...LOCATION, zip: '10119' } };
    const complete = await requestProvisioning(tenant, request(id, wrong));
    expect([complete.status, Object.keys(complete.body.error.details.differences).sort()]).toEqual([
      409,
      ['bandwidth', 'features', 'sla', 'zip'],
    ]);
    const { location: _, customizations: __, ...partly } = request(id, wrong);
    const incomplete = await requestProvisioning(tenant, partly);
    expect(Object.keys(incomplete.body.error.details.differences).sort()).toEqual(['features', 'sla']);
    const { id: another } = await createAccount(tenant, 'Another');
    const other = await requestProvisioning(tenant, request(id, { account_id: another }));
    expect(other.body.error.details.differences).toEqual({ account_id: { from: accountId, to: another } });
  });

  test('a provisioning request may omit the number of units of its quote, but a different number returns 409', async () => {
    const { id } = await quoted([{ type: 'sip_trunking', users: 10 }]);
    const { id: pending } = await requested(tenant, { service_template: 'sip_trunking', quote_id: id });
    const { body } = await change(pending, { customizations: { channels: 11 } });
    expect(body.error.details.differences).toEqual({ quantity: { from: 10, to: 11 } });
    expect((await change(pending, { customizations: { channels: 10 } })).body.data.status).toBe('acknowledged');
  });

  test('the quote can be set, replaced and removed while the provisioning request is pending', async () => {
    const [one, other] = [await quoted([FIBER, FIBER]), await quoted([FIBER], TERM)];
    const { id } = await scheduled(one.id, 3, { quote_line: 1 });
    expect(await readRequest(tenant, id)).toMatchObject({ quote_id: one.id, quote_line: 1 });
    expect((await change(id, { quote_id: other.id })).body.data).toMatchObject({ quote_id: other.id, quote_line: null });
    expect((await change(id, { quote_id: null })).body.data).toMatchObject({ quote_id: null, quote_line: null });
    const { body } = await change(id, { quote_id: other.id, deployment_schedule: null });
    expect(await serviceOf(body.data)).toMatchObject({ quote_id: other.id, term_months: 36 });
    expect((await quoteOf(one.id)).status).toBe('pending');
  });

  test('a provisioning request without a quote refuses a quote line and stays unchanged; a line that is stored without a quote is ignored', async () => {
    const { id } = await requested(tenant, request('', { quote_id: null, deployment_schedule: { preferred_date: inDays(3) } }));
    const before = await readRequest(tenant, id);
    const refused = await change(id, { quote_line: 1, name: 'Renamed' });
    expect([refused.status, refused.body.error.details.errors.map(({ field }: Json) => field)]).toEqual([400, ['quote_line']]);
    expect(await readRequest(tenant, id)).toEqual(before);
    // earlier releases stored such lines
    const stored = `update "services"."provisioning_request" set "customizations" = jsonb_set("customizations", '{terms,quoteLine}', '1') where "id" = $1 returning "id"`;
    expect(await (await rows()).query(stored, [id])).toHaveLength(1);
    const { body } = await change(id, { deployment_schedule: null });
    expect(body.data).toMatchObject({ status: 'acknowledged', quote_id: null });
  });

  test('creating or updating a provisioning request with a quote of another organization returns 404', async () => {
    const other = await tenantWithAccount();
    const { id } = await quoted();
    const { status, body } = await requestProvisioning(other.tenant, request(id));
    expect([status, body.error.details.resource]).toEqual([404, 'quote']);
    const { id: pending } = await requested(other.tenant, request(id, { quote_id: undefined, location: undefined }));
    expect((await other.tenant.rest('PUT', `/services/provision/${pending}`, { body: { quote_id: id } })).status).toBe(404);
  });
});

describe('scheduled provisioning requests with a quote', () => {
  test('a provisioning request uses its quote only on its start date, at the quoted price even if the catalog has changed', async () => {
    const { id, monthly_total } = await quoted();
    const pending = await scheduled(id, 2);
    expect(await quoteOf(id)).toMatchObject({ status: 'pending', lines: [{ service_id: null }] });
    const setPrice = async (price: number): Promise<unknown> =>
      (await rows()).query(
        `update "services"."catalog_bandwidth" set "monthly_price" = $1 where "service_id" = 'business_fiber' and "mbps" = 1000`,
        [price],
      );
    await setPrice(399);
    try {
      await (await rig()).advance(2 * DAY_MS);
      const completed = await requestThatIs('completed', tenant, pending.id);
      expect(await serviceOf(completed)).toMatchObject({ quote_id: id, monthly_price: monthly_total });
      expect(await quoteOf(id)).toMatchObject({ status: 'accepted', lines: [{ service_id: completed.service_id }] });
    } finally {
      await setPrice(299);
    }
  });

  test('a provisioning request fails with the reason and orders no service if its quote has expired by the start date', async () => {
    const { id } = await quoted();
    const pending = await scheduled(id, 31);
    const before = await servicesCount();
    await (await rig()).advance(31 * DAY_MS);
    const failed = await requestThatIs('failed', tenant, pending.id);
    expect(failed).toMatchObject({ status_reason: `The quote ${id} is expired. Create a new quote.`, service_id: null });
    expect(await servicesCount()).toBe(before);
  });

  test('a provisioning request fails with the reason if its quote was rejected before the start date', async () => {
    const { id } = await quoted();
    const pending = await scheduled(id, 2);
    await tenant.graphql('mutation ($id: ID!) { rejectQuote(id: $id) { id } }', { id });
    await (await rig()).advance(2 * DAY_MS);
    expect((await requestThatIs('failed', tenant, pending.id)).status_reason).toBe(`The quote ${id} is rejected. Create a new quote.`);
  });

  test('if four provisioning requests have the same quote and start date, one is completed, and three fail with the reason', async () => {
    const { id } = await quoted();
    const date = inDays(2);
    const pending = await Promise.all(
      Array.from({ length: 4 }, () => requested(tenant, request(id, { deployment_schedule: { preferred_date: date } }))),
    );
    const before = await servicesCount();
    await (await rig()).advance(2 * DAY_MS);
    const ended = await Promise.all(pending.map((one) => thatHasEnded(one.id)));
    expect(ended.map(({ status }) => status).sort()).toEqual(['completed', 'failed', 'failed', 'failed']);
    const reasons = ended.flatMap(({ status, status_reason }) => (status === 'failed' ? [status_reason] : []));
    for (const reason of reasons) expect(reason).toMatch(/^The quote quote_\w+ (is accepted|has no line)/);
    expect((await quoteOf(id)).status).toBe('accepted');
    expect(await servicesCount()).toBe(before + 1);
  });
});
