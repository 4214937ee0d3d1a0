import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount, LOCATION } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import { serviceThatIs, settledRecord, tenantWithAccount } from '../services.setup.ts';
import { ScriptedProvider, ServicesAlone } from '../services-alone.ts';
import { type Json, Tenant } from '../tenant.ts';

const OPTIONS = `{
  reason { code field message details } currency
  bandwidths { bandwidth selected monthlyPrice priceDifference }
  slas { sla selected uptimePercentage monthlyPrice priceDifference }
  features { name description selected needs selection monthlyPrice priceDifference }
  size { setting unit size minimum maximum unitPrice }
}`;
const READ = `query ($id: ID!) { service(id: $id) { availableChanges ${OPTIONS} } }`;
const PREVIEW = `query ($id: ID!, $input: ServiceChangeInput!) {
  changePreview(id: $id, input: $input) { problems { code field message details } monthlyPrice priceDifference }
}`;
type Query = (source: string, variables: Record<string, unknown>) => Promise<Json>;

/** Values to try in changes of a service: values from the catalog and, first in each list, a value that the catalog does not contain. */
interface Candidates {
  bandwidths: string[];
  slas: string[];
  features: string[];
}

/** Compares the options of a service with the preview of each possible change. Returns the options. */
async function checkedOptions(query: Query, id: string, candidates: Candidates): Promise<Json> {
  const { availableChanges: options } = (await query(READ, { id })).service;
  const preview = async (input: object): Promise<Json> => (await query(PREVIEW, { id, input })).changePreview;
  if (options.reason) {
    expect(options).toMatchObject({ bandwidths: [], slas: [], features: [], size: null });
    expect((await preview({ name: 'Another name' })).problems).toEqual([options.reason]);
    return options;
  }
  const compare = async (option: Json | undefined, input: object): Promise<void> => {
    const { problems, ...price } = await preview(input);
    const offered = option && option.monthlyPrice !== null;
    if (offered) expect([input, problems, price]).toEqual([input, [], priceIn(option)]);
    else expect([input, problems]).toEqual([input, expect.arrayContaining([expect.anything()])]);
  };
  for (const bandwidth of candidates.bandwidths)
    await compare(
      options.bandwidths.find((one: Json) => one.bandwidth === bandwidth),
      { bandwidth },
    );
  for (const sla of candidates.slas)
    await compare(
      options.slas.find((one: Json) => one.sla === sla),
      { sla },
    );
  const [notSold, ...names] = candidates.features;
  expect(options.features.map(({ name }: Json) => name).sort()).toEqual(names.sort());
  await compare(undefined, { features: { [notSold as string]: true } });
  const isComplete = options.features.every(({ needs }: Json) => needs.every((need: string) => names.includes(need)));
  for (const feature of options.features) {
    const { name, selected, selection, monthlyPrice } = feature;
    await compare(feature, { features: selection });
    expect(selection[name]).toBe(!selected);
    if (isComplete) expect([selection, monthlyPrice]).toEqual([selection, expect.any(Number)]);
    // none of the others can be left out
    for (const other of Object.keys(selection).filter((one) => one !== name)) {
      const { [other]: _, ...others } = selection;
      await compare(undefined, { features: others });
    }
  }
  if (options.size) await compareSize(preview, options.size);
  return options;
}

const priceIn = ({ monthlyPrice, priceDifference }: Json): Json => ({ monthlyPrice, priceDifference });

async function compareSize(preview: (input: object) => Promise<Json>, { setting, size, minimum, maximum, unitPrice }: Json): Promise<void> {
  const priceOf = async (number: number): Promise<number> => {
    const { problems, monthlyPrice } = await preview({ configuration: { [setting]: number } });
    expect(problems).toEqual([]);
    return monthlyPrice;
  };
  const lowest = await priceOf(minimum);
  // each of at most six parts is rounded to a cent, in both prices
  for (const number of [minimum + 1, size + 1, maximum - 1, maximum])
    expect(Math.abs((await priceOf(number)) - lowest - (number - minimum) * unitPrice)).toBeLessThan(0.061);
  for (const number of [minimum - 1, maximum + 1])
    expect((await preview({ configuration: { [setting]: number } })).problems).toMatchObject([{ field: `configuration.${setting}` }]);
}

describe('options of a service beside the previews of its changes', () => {
  let alone: ServicesAlone;
  let query: Query;
  const provider = new ScriptedProvider(async () => ({ state: 'completed', reference: 'line-1' }));
  const pick = choices(29);
  beforeAll(async () => {
    alone = await ServicesAlone.open();
    const subgraph = alone.subgraph(provider);
    query = (source, variables) => alone.query(subgraph, source, variables);
    // changes stay pending, because the tests run no jobs
    await alone.jobs.start({ work: false });
    return () => alone[Symbol.asyncDispose]();
  });

  const order = async (input: object): Promise<string> => {
    const { ordered } = await query('mutation ($input: CatalogOrderInput!) { ordered: orderCatalogService(input: $input) { id } }', {
      input,
    });
    await alone.provision(ordered.id, provider);
    return ordered.id;
  };
  const line = (bandwidth: string, zip = LOCATION.zip, state = LOCATION.state): Promise<string> =>
    order({ catalogId: 'business_fiber', bandwidth, location: { ...LOCATION, zip, state } });
  const network = async (): Promise<string> =>
    order({
      catalogId: 'mpls_network',
      bandwidth: '500mbps',
      configuration: {
        topology: 'full_mesh',
        locations: [
          { id: 'hq', address: '350 Fifth Avenue', service_id: await line('500mbps') },
          { id: 'branch', address: '1 Main Street' },
        ],
      },
    });
  const trunk = (): Promise<string> => order({ catalogId: 'sip_trunking', configuration: { channels: 12 } });

  const candidatesOf = async (id: string): Promise<Candidates> => {
    const [service] = await alone.sql<Json>('select * from "services"."service" where "id" = $1', [id]);
    const of = (table: string): Promise<Json[]> =>
      alone.sql<Json>(`select * from "services"."catalog_${table}" where "service_id" = $1`, [service.catalog_id]);
    const pending = await alone.sql<Json>(
      `select "wanted" from "services"."service_change" where "service_id" = $1 order by "created_at", "id"`,
      [id],
    );
    const present = pending.reduce((features: string[], { wanted }) => wanted?.features ?? features, service.features);
    return {
      bandwidths: ['77mbps', ...(await of('bandwidth')).map(({ mbps }) => `${mbps}mbps`)],
      slas: ['gold', ...(await of('sla')).map(({ name }) => name)],
      features: ['fast_lane', ...new Set([...(await of('feature')).map(({ name }) => name), ...present])],
    };
  };
  const checked = async (id: string): Promise<Json> => checkedOptions(query, id, await candidatesOf(id));

  /** Randomly changes features and prices in the catalog, and the features, service level, bandwidth and prices of a service. */
  const shuffle = async (id: string): Promise<void> => {
    const [{ catalog_id: catalogId, type, bandwidth_mbps: present }] = (await alone.sql<Json>(
      'select * from "services"."service" where "id" = $1',
      [id],
    )) as [Json];
    const names = ['f1', 'f2', 'f3', 'f4', 'f5'].filter(() => pick([true, true, false]));
    await alone.sql('delete from "services"."catalog_feature" where "service_id" = $1', [catalogId]);
    for (const [position, name] of names.entries()) {
      const needs = JSON.stringify([...names, 'gone'].filter((one) => one !== name && pick([true, false, false, false, false])));
      await alone.sql(
        `insert into "services"."catalog_feature" ("service_id", "name", "position", "description", "monthly_price", "per_unit", "needs")
         values ($1, $2, $3, 'A feature.', $4, $5, $6)`,
        [catalogId, name, position, pick([0, 4.99, 15, 33.33]), pick([true, false]), needs],
      );
    }
    await alone.sql('update "services"."catalog_bandwidth" set "monthly_price" = "monthly_price" + $2 where "service_id" = $1', [
      catalogId,
      pick([0, 0.01, 7.35]),
    ]);
    await alone.sql('update "services"."catalog_sla" set "uplift_percent" = "uplift_percent" + $2 where "service_id" = $1', [
      catalogId,
      pick([0, 0.5, 2.25]),
    ]);
    const features = [...names, ...pick([[], [], ['old']])].filter(() => pick([true, false]));
    const [sla, discount, mbps] = [
      pick(['standard', 'business', null]),
      pick([0, 0, 15]),
      type === 'internet' ? pick([100, 500, 1000]) : present,
    ];
    const lineOf = (item: string): object => ({
      catalogId,
      item,
      sla,
      unit: 'month',
      quantity: 1,
      unitPrice: pick(['3.125', '20', '57.77']),
    });
    const agreed = [lineOf(mbps === null ? 'base' : `bandwidth:${mbps}mbps`), ...features.map((name) => lineOf(`feature:${name}`))];
    await alone.sql(
      `update "services"."service" set "features" = $2, "sla" = $3, "discount_percent" = $4, "bandwidth_mbps" = $5, "price_lines" = $6 where "id" = $1`,
      [id, JSON.stringify(features), sla, discount, mbps, JSON.stringify(pick([true, true, false]) ? agreed : null)],
    );
  };
  const update = (id: string, input: object): Promise<Json> =>
    query('mutation ($id: ID!, $input: ServiceUpdateInput!) { updateService(id: $id, input: $input) { id } }', { id, input });

  test('with random catalogs, each option has the price of its preview, and the preview refuses each value that is not an option', async () => {
    // an area that does not have all bandwidths of the catalog
    const [limit] = await alone.sql<Json>(
      `select a."zip_prefix", a."state", t."max_mbps" from "services"."coverage_technology" t join "services"."coverage_area" a using ("zip_prefix")
       where t."technology" = 'fiber' and t."max_mbps" between 500 and 5000 order by 1 limit 1`,
    );
    const far = await line('100mbps', `${limit.zip_prefix}00`.slice(0, 5).padEnd(5, '0'), limit.state);
    const ids = [await line('1gbps'), far, await network(), await trunk()];
    for (let round = 0; round < 40; round += 1) {
      const id = ids[round % ids.length] as string;
      await alone.sql(`delete from "services"."service_change" where "service_id" = $1`, [id]);
      await shuffle(id);
      if (pick([true, false])) {
        // some of them are refused
        await update(id, pick([{ sla: 'enterprise' }, { name: 'Other' }, { sla: 'business' }])).catch(() => undefined);
      }
      const { reason } = await checked(id);
      expect(reason).toBeNull();
    }
    const { bandwidths } = await checked(far);
    expect(bandwidths.length).toBeGreaterThan(0);
    expect(Math.max(...bandwidths.map(({ bandwidth }: Json) => Number.parseInt(bandwidth, 10)))).toBeLessThanOrEqual(limit.max_mbps);
  });

  test('the options of a service take its pending changes into account, but not changes that are scheduled for later', async () => {
    const id = await line('500mbps');
    const { bandwidths: before } = await checked(id);
    await query('mutation ($id: ID!, $input: ScalingInput!) { scaleService(id: $id, input: $input) { id } }', {
      id,
      input: {
        scalingAction: 'SCALE_UP',
        newBandwidth: '5gbps',
        effectiveDate: new Date(alone.clock.now().getTime() + 86_400_000).toISOString(),
      },
    });
    expect((await checked(id)).bandwidths).toEqual(before);
    await update(id, { bandwidth: '1gbps' });
    const { bandwidths } = await checked(id);
    expect(bandwidths.filter(({ selected }: Json) => selected)).toMatchObject([{ bandwidth: '1000mbps', priceDifference: 0 }]);
    expect(bandwidths).not.toEqual(before);
  });

  test('a network whose access line was decommissioned has no other bandwidth as an option, and previews refuse all other bandwidths', async () => {
    const id = await network();
    expect((await checked(id)).bandwidths.length).toBeGreaterThan(1);
    const [{ configuration }] = (await alone.sql<Json>('select * from "services"."service" where "id" = $1', [id])) as [Json];
    await alone.sql(`update "services"."service" set "status" = 'decommissioned' where "id" = $1`, [configuration.locations[0].service_id]);
    expect((await checked(id)).bandwidths.filter(({ selected }: Json) => !selected)).toEqual([]);
  });

  test.each(['pending', 'provisioning', 'decommissioning', 'decommissioned', 'failed', 'maintenance'])(
    'a service that is %s has no options, and the reason is the problem that its previews show',
    async (status) => {
      const id = await line('500mbps');
      await alone.sql('update "services"."service" set "status" = $2 where "id" = $1', [id, status]);
      expect((await checked(id)).reason.code).toBe(status === 'maintenance' ? 'SERVICE_MAINTENANCE' : 'INVALID_STATE');
    },
  );

  test('the reason why a service in maintenance has no options contains the maintenance window', async () => {
    const id = await line('500mbps');
    const in_ = (hours: number): Date => new Date(alone.clock.now().getTime() + hours * 3_600_000);
    await alone.sql(`update "services"."service" set "status" = 'maintenance' where "id" = $1`, [id]);
    for (const [index, status] of ['completed', 'in_progress', 'in_progress', 'scheduled'].entries())
      await alone.sql(
        `insert into "services"."maintenance_window" ("id", "organization_id", "service_id", "status", "starts_at", "ends_at", "description", "impact", "created_at", "updated_at")
         values ($1, 'org_test', $2, $3, $4, $5, 'Work', 'down', $4, $4)`,
        [`maint_${id}${index}`, id, status, in_(-1), in_(9 - index)],
      );
    expect((await checked(id)).reason.details.maintenance_window.id).toBe(`maint_${id}1`);
  });

  test('a service with twenty unfinished changes has no options, and the reason is the problem that its previews show', async () => {
    const id = await line('500mbps');
    for (let count = 0; count < 20; count += 1) {
      if (count === 19) expect((await checked(id)).reason).toBeNull();
      await update(id, { bandwidth: count % 2 ? '500mbps' : '1gbps' });
    }
    expect((await checked(id)).reason).toMatchObject({ code: 'SERVICE_CONFLICT', details: { limit: 20 } });
  });
});

describe('options through the API', () => {
  let tenant: Tenant;
  let accountId: string;
  beforeAll(async () => {
    ({ tenant, accountId } = await tenantWithAccount());
  });

  test('after an option was ordered, the service has the price that the option showed', async () => {
    const { id } = await serviceThatIs('operational', tenant, accountId, { bandwidth: '500mbps', sla: 'standard' });
    const { availableChanges } = (await tenant.graphql(READ, { id })).data.service;
    const ddos = availableChanges.features.find(({ name }: Json) => name === 'ddos_protection');
    expect(ddos).toMatchObject({ selected: false, needs: ['static_ip'], selection: { ddos_protection: true, static_ip: true } });
    await tenant.rest('PUT', `/services/${id}/features`, { body: { features: ddos.selection } });
    const after = await settledRecord(async () => (await tenant.rest('GET', `/services/${id}`)).body.data);
    expect(after).toMatchObject({ features: ['static_ip', 'ddos_protection'], monthly_price: ddos.monthlyPrice });
  });

  test('reading the options of five services runs as many statements as reading the options of one service', async () => {
    const statements = async (count: number): Promise<number> => {
      const own = await tenantWithAccount();
      for (let index = 0; index < count; index += 1) {
        await serviceThatIs('operational', own.tenant, own.accountId, index % 2 ? { service_type: 'cable', bandwidth: '100mbps' } : {});
        await own.tenant.rest('POST', '/services', { body: { catalog_id: 'sip_trunking', configuration: { channels: 3 } } });
      }
      const read = async (): Promise<void> => {
        const { data } = await own.tenant.graphql(`{ services { nodes { availableChanges ${OPTIONS} } } }`);
        expect(data.services.nodes).toHaveLength(2 * count);
      };
      const platform = await rig();
      return platform.clock.standingStill(async () => {
        await read();
        return (await platform.statements(read)).filter((sql) => sql.includes('"services"')).length;
      });
    };
    const one = await statements(1);
    expect(one).toBeGreaterThan(3);
    expect(await statements(5)).toBe(one);
  });

  test('reading options requires services:read, and a caller who is limited to accounts gets only options of services of these accounts', async () => {
    const { id } = await serviceThatIs('operational', tenant, accountId);
    const { data } = await tenant.graphql(READ, { id });
    expect((await (await limitedTo(tenant, accountId)).graphql(READ, { id })).data).toEqual(data);
    expect((await (await limitedTo(tenant, (await createAccount(tenant)).id)).graphql(READ, { id })).data).toEqual({ service: null });
    // an order needs only services:create, and its response may have a service
    const orderer = await tenant.limitedTo('services:create');
    const order = (field: string): Promise<Json> =>
      orderer.graphql('mutation ($input: CatalogOrderInput!) { orderCatalogService(input: $input) { id FIELD } }'.replace('FIELD', field), {
        input: { catalogId: 'sip_trunking', accountId, configuration: { channels: 1 } },
      });
    expect((await order('status')).errors).toBeUndefined();
    expect((await order('availableChanges { currency }')).errors[0].extensions).toMatchObject({
      code: 'INSUFFICIENT_PERMISSIONS',
      details: { required: 'services:read' },
    });
    expect((await (await (await rig()).organization()).graphql(READ, { id })).data).toEqual({ service: null });
  });
});

/** Creates a caller who is limited to one account. */
async function limitedTo(tenant: Tenant, account: string): Promise<Tenant> {
  const body = { name: 'Limited', permissions: ['*:*'], accounts: [account] };
  return new Tenant(tenant.origin, tenant.organizationId, (await tenant.rest('POST', '/auth/api-keys', { body })).body.api_key.key);
}

/** Returns a generator of pseudo-random choices, which are the same in each run. */
function choices(seed: number): <T>(list: readonly T[]) => T {
  let state = seed;
  return (list) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return list[Math.floor((state / 2 ** 31) * list.length)] as (typeof list)[number];
  };
}
