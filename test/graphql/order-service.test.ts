import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { onRig, rig, start } from '../rig.ts';
import { tenantWithAccount } from '../services.setup.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const ORDER = 'mutation ($input: ServiceOrderInput!) { orderService(input: $input) { id type serviceType accountId monthlyPrice status } }';
const ordered = (input: object, caller = tenant): Promise<Json> => caller.graphql(ORDER, { input });
const total = async (): Promise<number> => (await tenant.graphql('{ services { pageInfo { total } } }')).data.services.pageInfo.total;

const internet = () => ({ serviceType: 'FIBER', bandwidth: '500mbps', location: LOCATION, accountId });
const network = () => ({
  ...{ networkType: 'MPLS', topology: 'FULL_MESH', bandwidth: '500mbps', accountId },
  locations: ['a', 'b', 'c'].map((id) => ({ id, address: `${id} Street` })),
});
const trunk = () => ({ catalogId: 'sip_trunking', configuration: { channels: 20 }, accountId });

describe('orderService', () => {
  test.each<[string, () => object, string, string, () => object]>([
    [
      'internet',
      () => ({ internet: internet() }),
      '/connectivity/internet',
      'INTERNET',
      () => ({ service_type: 'fiber', bandwidth: '500mbps', location: LOCATION, account_id: accountId }),
    ],
    [
      'network',
      () => ({ network: network() }),
      '/connectivity/networks',
      'NETWORK',
      () => ({
        ...network(),
        networkType: undefined,
        accountId: undefined,
        network_type: 'mpls',
        topology: 'full_mesh',
        account_id: accountId,
      }),
    ],
    [
      'catalog',
      () => ({ catalog: trunk() }),
      '/services',
      'SIP_TRUNK',
      () => ({ catalog_id: 'sip_trunking', configuration: { channels: 20 }, account_id: accountId }),
    ],
  ])('orders the service in the field %s at the price of the order over REST', async (_, input, path, type, body) => {
    const { data, errors } = await ordered(input());
    expect(errors).toBeUndefined();
    const rest = await tenant.rest('POST', path, { body: body() });
    expect(rest.status).toBe(201);
    const [one, other] = await Promise.all(
      [data.orderService.id, rest.body.data.id].map(async (id) => (await tenant.rest('GET', `/services/${id}`)).body.data),
    );
    expect(data.orderService).toMatchObject({ type, accountId, monthlyPrice: other.monthly_price });
    expect([one.type, one.monthly_price, one.configuration]).toEqual([other.type, other.monthly_price, other.configuration]);
  });

  test.each<[string, () => object]>([
    ['no field', () => ({})],
    ['two fields', () => ({ internet: internet(), catalog: trunk() })],
    ['a field and a null', () => ({ internet: internet(), network: null })],
    ['only a null', () => ({ internet: null })],
    ['an unknown field', () => ({ pigeon: {} })],
  ])('an input with %s is refused, and nothing is ordered', async (_, input) => {
    const before = await total();
    const { data, errors } = await ordered(input());
    expect(data ?? null).toBeNull();
    expect(errors[0].extensions).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: expect.stringMatching(/^input/) } });
    expect(await total()).toBe(before);
  });

  test.each([
    ['mutation { orderService(input: {}) { id } }'],
    ['mutation ($a: InternetServiceOrderInput!, $b: CatalogOrderInput!) { orderService(input: { internet: $a, catalog: $b }) { id } }'],
    ['mutation ($a: InternetServiceOrderInput) { orderService(input: { internet: $a }) { id } }'],
  ])('a literal with no field, with two fields or with a variable that is null is refused: %s', async (text) => {
    const before = await total();
    const { data, errors } = await tenant.graphql(
      text,
      text.includes('$b') ? { a: internet(), b: trunk() } : text.includes('$a') ? { a: null } : {},
    );
    expect(data ?? null).toBeNull();
    expect(errors?.[0].extensions.code).toBe('INVALID_PARAMETERS');
    expect(await total()).toBe(before);
  });

  test.each<[string, () => object, string[]]>([
    [
      'the rules of its fields',
      () => ({ internet: { ...internet(), bandwidth: 'fast', accountId: 'x' } }),
      ['internet.accountId', 'internet.bandwidth'],
    ],
    ['the catalog', () => ({ internet: { ...internet(), bandwidth: '7gbps', sla: 'gold' } }), ['internet.bandwidth', 'internet.sla']],
    [
      'the rules of its product',
      () => ({ network: { ...network(), locations: ['a', 'a'].map((id) => ({ id, address: 'x' })) } }),
      ['network.locations.1.id'],
    ],
    ...Object.entries({ internet, network, catalog: trunk }).map(([name, body]): [string, () => object, string[]] => [
      `the rule that a line of a quote needs its quote (${name})`,
      () => ({ [name]: { ...body(), quoteLine: 0, name: '' } }),
      [`${name}.name`, `${name}.quoteLine`],
    ]),
    [
      'the settings of a catalog service',
      () => ({ catalog: { ...trunk(), configuration: { channels: 'x' } } }),
      ['catalog.configuration.channels'],
    ],
  ])('an order that breaks %s returns all problems with their fields in the input, and nothing is ordered', async (_, input, fields) => {
    const before = await total();
    const { errors } = await ordered(input());
    expect(errors[0].extensions.code).toBe('INVALID_PARAMETERS');
    expect(errors[0].extensions.details.errors.map(({ field }: Json) => field).toSorted()).toEqual(fields);
    expect(await total()).toBe(before);
  });

  test('a kind of network that is no longer in the catalog is reported with its field in the input', async () => {
    const own = await start();
    onTestFinished(() => own.close());
    await onRig(own, async () => {
      const caller = await own.organization({ plan: 'custom' });
      await (await rows()).query(`update "services"."catalog_service" set "retired_at" = now() where "id" = 'mpls_network'`, []);
      const order = { ...network(), accountId: undefined };
      const { errors } = await ordered({ network: order }, caller);
      expect(errors[0].extensions.details.errors).toMatchObject([{ field: 'network.networkType', reason: 'is not in the catalog' }]);
      const body = { network_type: 'mpls', topology: 'full_mesh', bandwidth: '500mbps', locations: order.locations };
      const refused = await caller.rest('POST', '/connectivity/networks', { body });
      expect(refused.body.error.details.errors).toMatchObject([{ field: 'network_type', reason: 'is not in the catalog' }]);
    });
  });

  test('an account of another organization is not found, and an order needs services:create', async () => {
    const other = await tenantWithAccount();
    const foreign = await ordered({ internet: { ...internet(), accountId: other.accountId } });
    expect(foreign.errors[0].extensions.code).toBe('RESOURCE_NOT_FOUND');
    const reader = await tenant.limitedTo('services:read');
    const refused = await ordered({ internet: internet() }, reader);
    expect(refused.errors[0].extensions).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'services:create' } });
  });

  test('each product has a field if it has typed settings, and introspection shows that exactly one must be set', async () => {
    const text = '{ __type(name: "ServiceOrderInput") { isOneOf inputFields { name } } }';
    const { data } = await (await (await rig()).organization()).graphql(text);
    expect(data.__type.isOneOf).toBe(true);
    expect(data.__type.inputFields.map(({ name }: Json) => name)).toEqual(['catalog', 'internet', 'network']);
  });
});
