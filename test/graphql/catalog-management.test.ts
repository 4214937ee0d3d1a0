import { beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../operator.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { placeOrder, serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import type { Json, Tenant } from '../tenant.ts';

let platform: Rig;
let tenant: Tenant;
let owner: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
  owner = await operator();
});

const FIELDS = `{ id category position name product serviceType orderable retiredAt revision bandwidthOptions slaOptions
  pricing { startingPrice unit currency bandwidthPrices { bandwidth monthlyPrice } slaUplifts { sla percent uptimePercentage } }
  features { name monthlyPrice perUnit needs } }`;
const CREATE = `mutation ($input: CatalogServiceCreateInput!) { result: createCatalogService(input: $input) ${FIELDS} }`;
const UPDATE = `mutation ($id: ID!, $input: CatalogServiceUpdateInput!, $revision: Int) {
  result: updateCatalogService(id: $id, input: $input, expectedRevision: $revision) ${FIELDS} }`;
const RETIRE = `mutation ($id: ID!) { result: retireCatalogService(id: $id) ${FIELDS} }`;
const RESTORE = `mutation ($id: ID!) { result: restoreCatalogService(id: $id) ${FIELDS} }`;
const HISTORY = `query ($id: [ID!]) { catalogPriceChanges(filter: { catalogId: $id }) { nodes { item old new changedBy createdAt } } }`;

let number = 0;
/** A catalog service without a product, so that no other test orders it. */
const draft = (more: Json = {}): Json => ({
  id: `test_service_${Date.now()}_${number++}`,
  category: 'ai',
  name: 'Test Service',
  description: 'A service of a test.',
  unit: 'month',
  bandwidths: [
    { bandwidth: '1gbps', monthlyPrice: 299 },
    { bandwidth: '100mbps', monthlyPrice: 89 },
  ],
  slas: [
    { name: 'standard', percent: 0, uptimePercentage: 99.9 },
    { name: 'business', percent: 15, uptimePercentage: 99.95 },
  ],
  features: [
    { name: 'static_ip', description: 'Addresses.', monthlyPrice: 15 },
    { name: 'protection', description: 'A filter.', monthlyPrice: 49, perUnit: true, needs: ['static_ip'] },
  ],
  ...more,
});

const run = async (query: string, variables: Json, by = owner): Promise<Json> => {
  const { data, errors } = await by.graphql(query, variables);
  if (errors) throw new Error(JSON.stringify(errors));
  return data.result;
};
const refused = async (query: string, variables: Json, by = owner): Promise<Json> =>
  (await by.graphql(query, variables)).errors?.[0]?.extensions;
const historyOf = async (id: string): Promise<Json[]> => (await owner.graphql(HISTORY, { id: [id] })).data.catalogPriceChanges.nodes;

/** Creates a catalog service, passes it to `act`, and retires it, because other tests read the same catalog. */
async function withService(more: Json, act: (service: Json) => Promise<void>): Promise<void> {
  const service = await run(CREATE, { input: draft(more) });
  try {
    await act(service);
  } finally {
    await run(RETIRE, { id: service.id });
  }
}

describe('managing the services of the catalog', () => {
  test('an operator adds a service to the catalog, and customers see it with its options and its lowest price', () =>
    withService({}, async (service) => {
      expect(service).toMatchObject({
        orderable: false,
        revision: 1,
        bandwidthOptions: ['100mbps', '1000mbps'],
        pricing: { startingPrice: 89, unit: 'month', currency: 'USD' },
      });
      const { body } = await tenant.rest('GET', '/services/catalog/ai');
      const shown = body.data.categories[0].services.at(-1);
      expect(shown).toMatchObject({
        id: service.id,
        orderable: false,
        sla_options: ['standard', 'business'],
        pricing: {
          starting_price: 89,
          bandwidth_prices: [
            { bandwidth: '100mbps', monthly_price: 89 },
            { bandwidth: '1000mbps', monthly_price: 299 },
          ],
        },
        features: [
          { name: 'static_ip', per_unit: false, needs: [] },
          { name: 'protection', per_unit: true, needs: ['static_ip'] },
        ],
      });
    }));

  test('an update of a catalog service changes only the fields that are sent, and replaces each list that is sent', () =>
    withService({}, async ({ id }) => {
      const updated = await run(UPDATE, {
        id,
        input: {
          name: 'Renamed',
          bandwidths: [
            { bandwidth: '100mbps', monthlyPrice: 79.5 },
            { bandwidth: '500mbps', monthlyPrice: 199 },
          ],
        },
      });
      expect(updated).toMatchObject({
        name: 'Renamed',
        revision: 2,
        slaOptions: ['standard', 'business'],
        pricing: {
          startingPrice: 79.5,
          bandwidthPrices: [
            { bandwidth: '100mbps', monthlyPrice: 79.5 },
            { bandwidth: '500mbps', monthlyPrice: 199 },
          ],
        },
      });
      expect(updated.features).toHaveLength(2);
    }));

  test('every changed, added and removed price is in the history, with the caller and the time', () =>
    withService({}, async ({ id }) => {
      expect((await historyOf(id)).map(({ item, old }) => [item, old]).sort()).toEqual([
        ['bandwidth:1000mbps', null],
        ['bandwidth:100mbps', null],
        ['base', null],
        ['feature:protection', null],
        ['feature:static_ip', null],
        ['sla:business', null],
        ['sla:standard', null],
      ]);
      await platform.advance(1000);
      const features = [{ name: 'static_ip', description: 'Addresses.', monthlyPrice: 17.25 }];
      await run(UPDATE, {
        id,
        input: {
          features,
          bandwidths: [
            { bandwidth: '100mbps', monthlyPrice: 89 },
            { bandwidth: '500mbps', monthlyPrice: 199 },
          ],
        },
      });
      const changes = (await historyOf(id)).slice(0, 4);
      expect(changes.map((change) => [change.item, change.old, change.new]).sort()).toEqual([
        ['bandwidth:1000mbps', 299, null],
        ['bandwidth:500mbps', null, 199],
        ['feature:protection', 49, null],
        ['feature:static_ip', 15, 17.25],
      ]);
      expect(new Set(changes.map(({ changedBy }) => changedBy))).toEqual(new Set([expect.stringMatching(/^ak_/)]));
    }));

  test('the installation fee that an operator sets for a catalog service is shown to customers and recorded in the history', () =>
    withService({ installationFee: 99 }, async ({ id }) => {
      expect((await historyOf(id)).find(({ item }) => item === 'installation')).toMatchObject({ old: null, new: 99 });
      await platform.advance(1000);
      expect((await run(UPDATE, { id, input: { installationFee: 149.5 } })).revision).toBe(2);
      expect((await historyOf(id))[0]).toMatchObject({ item: 'installation', old: 99, new: 149.5 });
      const { body } = await tenant.rest('GET', '/services/catalog/ai');
      expect(body.data.categories[0].services.find((service: Json) => service.id === id).pricing.installation_fee).toBe(149.5);
    }));

  test('an update of a catalog service without a difference keeps its revision and adds nothing to the history', () =>
    withService({}, async ({ id }) => {
      const before = await historyOf(id);
      const { name, bandwidths } = draft();
      expect((await run(UPDATE, { id, input: { name, bandwidths } })).revision).toBe(1);
      expect(await historyOf(id)).toEqual(before);
    }));

  test('creating an invalid catalog service is refused with all problems', async () => {
    const { code, details } = await refused(CREATE, {
      input: draft({
        id: 'Not A Word',
        startingPrice: 50,
        bandwidths: [
          { bandwidth: '1gbps', monthlyPrice: 299.123 },
          { bandwidth: '1000mbps', monthlyPrice: -1 },
        ],
        slas: [{ name: 'standard', percent: 2000, uptimePercentage: 101 }],
        features: [{ name: 'a', description: 'A.', monthlyPrice: 1, needs: ['a', 'b'] }],
      }),
    });
    expect(code).toBe('INVALID_PARAMETERS');
    expect(details.errors.map(({ field }: Json) => field).sort()).toEqual([
      'bandwidths.0.monthlyPrice',
      'bandwidths.1.bandwidth',
      'bandwidths.1.monthlyPrice',
      'features.0.needs.0',
      'features.0.needs.1',
      'id',
      'slas.0.percent',
      'slas.0.uptimePercentage',
      'startingPrice',
    ]);
  });

  test('an unknown category and technology of a catalog service are refused together with the possible values, and an unknown product separately', async () => {
    const { details } = await refused(CREATE, { input: draft({ category: 'gardening', product: 'internet', serviceType: 'pigeon' }) });
    expect(details.errors).toMatchObject([
      { field: 'category', reason: expect.stringContaining('connectivity, voice') },
      { field: 'serviceType', reason: expect.stringContaining('fiber, cable') },
    ]);
    const unknown = await refused(CREATE, { input: draft({ product: 'teleport' }) });
    expect(unknown.details).toMatchObject({ field: 'product', reason: expect.stringContaining('internet') });
  });

  test.each([
    ['internet', 'pigeon', 'must be one of fiber, cable, fixed_wireless, dsl for internet access'],
    ['internet', null, 'must be one of fiber, cable, fixed_wireless, dsl for internet access'],
    ['network', 'pigeon', 'must be one of mpls, sd_wan for networks'],
    ['network', null, 'must be one of mpls, sd_wan for networks'],
  ])(
    'a catalog service of the product %s with the service type %s is refused, because customers could not read its services',
    async (product, serviceType, reason) => {
      const { details } = await refused(CREATE, { input: draft({ product, serviceType }) });
      expect(details).toMatchObject({ field: 'serviceType', reason });
    },
  );

  test('a catalog service cannot become a network if its service type is no kind of network', () =>
    withService({}, async ({ id }) => {
      const { details } = await refused(UPDATE, { id, input: { product: 'network' } });
      expect(details).toMatchObject({ field: 'serviceType', reason: expect.stringContaining('mpls, sd_wan') });
    }));

  test('a duplicate id of a catalog service returns DUPLICATE_RESOURCE, and an unknown id returns RESOURCE_NOT_FOUND', async () => {
    expect(await refused(CREATE, { input: draft({ id: 'business_fiber' }) })).toMatchObject({
      code: 'DUPLICATE_RESOURCE',
      details: { resource: 'catalog_service', id: 'business_fiber' },
    });
    for (const query of [RETIRE, RESTORE, UPDATE])
      expect(await refused(query, { id: 'none_such', input: {} })).toMatchObject({
        code: 'RESOURCE_NOT_FOUND',
        details: { resource: 'catalog_service', id: 'none_such' },
      });
  });

  test('if two concurrent updates of a catalog service send its revision, only one succeeds, and without the revision both succeed', () =>
    withService({}, async ({ id }) => {
      const names = ['First', 'Second'];
      const both = await Promise.all(names.map((name) => owner.graphql(UPDATE, { id, input: { name }, revision: 1 })));
      expect(both.map(({ errors }) => errors?.[0]?.extensions.code ?? 'ok').sort()).toEqual(['STALE_RESOURCE', 'ok']);
      const inputs = [{ unit: 'user/month' }, { description: 'Another text.' }];
      await Promise.all(inputs.map((input) => run(UPDATE, { id, input })));
      expect(await run(UPDATE, { id, input: {} })).toMatchObject({ pricing: { unit: 'user/month' }, revision: 4 });
    }));

  test('if two operators create the same catalog service concurrently, one succeeds and the other gets 409', async () => {
    const input = draft();
    const both = await Promise.all([owner.graphql(CREATE, { input }), owner.graphql(CREATE, { input })]);
    expect(both.map(({ errors }) => errors?.[0]?.extensions.code ?? 'ok').sort()).toEqual(['DUPLICATE_RESOURCE', 'ok']);
    await run(RETIRE, { id: input.id });
  });

  test('a retired catalog service is neither listed nor sold, its ordered services continue, and a new catalog service can have its service type', async () => {
    const { tenant: customer, accountId } = await tenantWithAccount();
    const order = { service_type: 'dsl', bandwidth: '50mbps', sla: 'standard' };
    const service = await serviceThatIs('operational', customer, accountId, order);
    const successor = draft({
      category: 'connectivity',
      product: 'internet',
      serviceType: 'dsl',
      bandwidths: [{ bandwidth: '50mbps', monthlyPrice: 60 }],
    });
    expect(await refused(CREATE, { input: successor })).toMatchObject({
      code: 'DUPLICATE_RESOURCE',
      details: { id: 'business_dsl', service_type: 'dsl' },
    });
    await run(RETIRE, { id: 'business_dsl' });
    try {
      const { body } = await customer.rest('GET', '/services/catalog/connectivity');
      expect(body.data.categories[0].services.map(({ id }: Json) => id)).not.toContain('business_dsl');
      expect((await placeOrder(customer, accountId, order)).status).toBe(400);
      const kept = (await customer.rest('GET', `/services/${service.id}`)).body.data;
      expect(kept).toMatchObject({ status: 'operational', catalog_id: 'business_dsl', monthly_price: service.monthly_price });

      await run(CREATE, { input: successor });
      const ordered = await placeOrder(customer, accountId, order);
      expect(ordered.body.data).toMatchObject({ catalog_id: successor.id, monthly_price: 60 });
      expect(await refused(RESTORE, { id: 'business_dsl' })).toMatchObject({ code: 'DUPLICATE_RESOURCE', details: { id: successor.id } });
    } finally {
      await owner.graphql(RETIRE, { id: successor.id });
      await run(RESTORE, { id: 'business_dsl' });
    }
    const availability = await customer.rest('GET', '/services/availability?zip=10118&service_types=dsl');
    expect(availability.body.data.services[0].catalog_id).toBe('business_dsl');
  });

  test('a changed catalog price applies to later orders, and not to existing services', async () => {
    const { tenant: customer, accountId } = await tenantWithAccount();
    const order = { service_type: 'dsl', bandwidth: '50mbps', sla: 'standard' };
    const service = await serviceThatIs('operational', customer, accountId, order);
    const pricesOf = async (): Promise<Json[]> =>
      (await owner.graphql('{ catalogServices { id pricing { bandwidthPrices { bandwidth monthlyPrice } } } }')).data.catalogServices.find(
        ({ id }: Json) => id === 'business_dsl',
      ).pricing.bandwidthPrices;
    const before = await pricesOf();
    const raised = before.map((price) => (price.bandwidth === '50mbps' ? { ...price, monthlyPrice: 99 } : price));
    await run(UPDATE, { id: 'business_dsl', input: { bandwidths: raised } });
    try {
      expect((await customer.rest('GET', `/services/${service.id}`)).body.data.monthly_price).toBe(service.monthly_price);
      expect((await placeOrder(customer, accountId, order)).body.data.monthly_price).toBe(99);
    } finally {
      await run(UPDATE, { id: 'business_dsl', input: { bandwidths: before } });
    }
    expect((await historyOf('business_dsl')).map((change) => [change.item, change.old, change.new])).toEqual([
      ['bandwidth:50mbps', 99, 65],
      ['bandwidth:50mbps', 65, 99],
    ]);
  });

  test('a change of the catalog is recorded with its caller in the audit log of the operator', () =>
    withService({}, async ({ id }) => {
      const record = await eventually(async () => {
        const { body } = await owner.rest('GET', '/auth/audit?event_type=catalog_service_created&limit=200');
        return body.data.find(({ reason }: Json) => reason.includes(id));
      });
      expect(record).toMatchObject({ reason: expect.stringContaining(`catalog_service ${id}; by `) });
    }));
});

describe('managing categories', () => {
  const CREATE_CATEGORY = `mutation ($name: String!) { result: createCatalogCategory(input: { name: $name, description: "Things." }) { name description services { id } } }`;
  const DELETE_CATEGORY = `mutation ($name: String!) { result: deleteCatalogCategory(name: $name) { name } }`;

  test('an operator can add, change and delete a catalog category', async () => {
    const name = `test_${Date.now()}`;
    expect(await run(CREATE_CATEGORY, { name })).toEqual({ name, description: 'Things.', services: [] });
    expect(await refused(CREATE_CATEGORY, { name })).toMatchObject({
      code: 'DUPLICATE_RESOURCE',
      details: { resource: 'catalog_category' },
    });
    const update = `mutation ($name: String!) { result: updateCatalogCategory(name: $name, input: { description: "Other things." }) { description } }`;
    expect(await run(update, { name })).toEqual({ description: 'Other things.' });
    expect((await tenant.rest('GET', `/services/catalog/${name}`)).status).toBe(200);
    await run(DELETE_CATEGORY, { name });
    expect((await tenant.rest('GET', `/services/catalog/${name}`)).status).toBe(404);
    expect(await refused(update, { name })).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  test('a catalog category with services cannot be deleted', async () => {
    expect(await refused(DELETE_CATEGORY, { name: 'voice' })).toMatchObject({
      code: 'SERVICE_CONFLICT',
      details: { resource: 'catalog_category', id: 'voice', services: expect.arrayContaining(['cloud_pbx']) },
    });
  });
});

describe('discounts for long terms', () => {
  const REPLACE = `mutation ($input: CatalogTermDiscountsInput!) { result: replaceCatalogTermDiscounts(input: $input) { months percent } }`;
  const LIST = '{ catalogTermDiscounts { months percent } }';
  const PRESENT = [
    { months: 12, percent: 5 },
    { months: 24, percent: 10 },
    { months: 36, percent: 15 },
  ];
  const quoted = async (): Promise<Json> => {
    const services = [{ type: 'fiber', bandwidth: '500mbps', location: { zip: '10118' } }];
    const { body } = await tenant.rest('POST', '/services/quotes', { body: { services, billing_preferences: { term: '24_months' } } });
    return body.data;
  };

  test('new term discounts apply to later quotes, existing quotes keep their discounts, and the change is in the audit log', async () => {
    expect((await tenant.graphql(LIST)).data.catalogTermDiscounts).toEqual(PRESENT);
    const before = await quoted();
    const discounts = [
      { months: 24, percent: 12.5 },
      { months: 48, percent: 20 },
    ];
    try {
      expect(await run(REPLACE, { input: { discounts: discounts.toReversed() } })).toEqual(discounts);
      expect((await tenant.graphql(LIST)).data.catalogTermDiscounts).toEqual(discounts);
      expect((await quoted()).discount_percent).toBe(12.5);
      expect((await tenant.rest('GET', `/services/quotes/${before.id}`)).body.data.discount_percent).toBe(10);
    } finally {
      await run(REPLACE, { input: { discounts: PRESENT } });
    }
    expect((await quoted()).discount_percent).toBe(10);
  });

  test('invalid term discounts are refused with all problems and change nothing', async () => {
    const discounts = [
      { months: 0, percent: 5 },
      { months: 121, percent: 101 },
      { months: 12, percent: -1 },
      { months: 12, percent: 1.00001 },
    ];
    const { details } = await refused(REPLACE, { input: { discounts } });
    expect(details.errors.map(({ field }: Json) => field)).toEqual(
      ['0.months', '1.months', '1.percent', '2.percent', '3.percent', '3.months'].map((one) => `discounts.${one}`),
    );
    expect((await tenant.graphql(LIST)).data.catalogTermDiscounts).toEqual(PRESENT);
  });
});

describe('access to the management of the catalog', () => {
  test.each([
    ['createCatalogService', CREATE, { input: draft() }],
    ['updateCatalogService', UPDATE, { id: 'business_fiber', input: { name: 'Mine' } }],
    ['retireCatalogService', RETIRE, { id: 'business_fiber' }],
    ['catalogPriceChanges', HISTORY, {}],
    ['replaceCatalogTermDiscounts', 'mutation { replaceCatalogTermDiscounts(input: { discounts: [] }) { months } }', {}],
  ])('%s returns 403 to other organizations and to a key of the operator without a platform permission', async (_, query, variables) => {
    for (const caller of [tenant, await owner.limitedTo('services:read')])
      expect(await refused(query, variables, caller)).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
  });
});
