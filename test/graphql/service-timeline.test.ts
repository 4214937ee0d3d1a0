import { beforeAll, describe, expect, test } from 'vitest';
import { TimelineStore } from '../../subgraphs/services/timeline/timeline.store.ts';
import { createAccount } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import { serviceThatIs, settledRecord, tenantWithAccount } from '../services.setup.ts';
import { ScriptedProvider, ServicesAlone } from '../services-alone.ts';
import { type Json, Tenant } from '../tenant.ts';

const PAGE = `{
  nodes {
    id createdAt
    statusChange { id at to }
    change { id createdAt status changes }
    maintenanceWindow { id createdAt status start }
  }
  pageInfo { page perPage total pages hasMore nextCursor }
}`;
const TIMELINE = `query ($id: ID!, $page: PageInput) { service(id: $id) { timeline(page: $page) ${PAGE} } }`;
const LISTS = `query ($id: ID!) { service(id: $id) {
  statusHistory(limit: 200) { id at } changes(limit: 200) { id createdAt } maintenanceWindows(limit: 200) { id createdAt }
} }`;

describe('the timeline of a service beside its three lists', () => {
  let alone: ServicesAlone;
  let query: (source: string, variables: Json) => Promise<Json>;
  const ids: string[] = [];
  const random = numbers(5);
  beforeAll(async () => {
    alone = await ServicesAlone.open();
    const subgraph = alone.subgraph(new ScriptedProvider(async () => ({ state: 'completed', reference: 'line-1' })));
    query = (source, variables) => alone.query(subgraph, source, variables);
    for (let count = 0; count < 3; count += 1) {
      const id = await alone.ordered();
      ids.push(id);
      for (let entry = 0; entry < 120; entry += 1) await add(id, Math.floor(random() * 3));
    }
    return () => alone[Symbol.asyncDispose]();
  });

  let next = 0;
  /**
   * Adds an entry to the timeline of a service: a status change (0), a service change (1) or a maintenance window (2). Many entries have
   * the same time.
   */
  async function add(id: string, kind: number, minute = Math.floor(random() * 40)): Promise<void> {
    next += 1;
    const at = new Date(alone.clock.now().getTime() + minute * 60_000);
    const number = String(Math.floor(random() * 1_000_000)).padStart(7, '0') + next;
    const known = [`${['chg', 'order', 'maint'][kind]}_${number}`, id, at];
    const sql = [
      `insert into "services"."service_status_change" ("id", "organization_id", "service_id", "from", "to", "created_at")
       values ($1, 'org_test', $2, 'operational', 'down', $3)`,
      `insert into "services"."service_change" ("id", "organization_id", "service_id", "kind", "status", "effective_at", "requested_by", "history", "created_at", "updated_at")
       values ($1, 'org_test', $2, 'modification', 'completed', $3, 'key_1', '[]', $3, $3)`,
      `insert into "services"."maintenance_window" ("id", "organization_id", "service_id", "status", "starts_at", "ends_at", "description", "impact", "created_at", "updated_at")
       values ($1, 'org_test', $2, 'completed', $3::timestamptz + interval '5 days', $3::timestamptz + interval '6 days', 'Work', 'none', $3, $3)`,
    ];
    await alone.sql(sql[kind] as string, known);
  }

  /** Reads the three lists of a service, and returns the ids of all entries in the expected order of the timeline. */
  async function model(id: string): Promise<string[]> {
    const { statusHistory, changes, maintenanceWindows } = (await query(LISTS, { id })).service;
    const all = [...statusHistory.map(({ id: one, at }: Json) => ({ id: one, createdAt: at })), ...changes, ...maintenanceWindows];
    const newer = (one: string, other: string): number => Number(one < other) - Number(one > other);
    return all.sort((one, other) => newer(one.createdAt, other.createdAt) || newer(one.id, other.id)).map((entry) => entry.id);
  }
  const read = async (id: string, page: Json): Promise<{ ids: string[]; pageInfo: Json }> => {
    const { nodes, pageInfo } = (await query(TIMELINE, { id, page })).service.timeline;
    return { ids: nodes.map((node: Json) => node.id), pageInfo };
  };

  test.each([1, 7, 40, 200])('pages of %i timeline entries, by cursor or number, contain the three lists merged by time', async (limit) => {
    for (const id of ids) {
      const expected = await model(id);
      expect(expected).toHaveLength(121);
      let cursor: string | null = null;
      for (let start = 0; start < expected.length; start += limit) {
        const { ids: found, pageInfo } = await read(id, { limit, cursor });
        expect(found).toEqual(expected.slice(start, start + limit));
        const hasMore = start + limit < expected.length;
        expect(pageInfo).toMatchObject({ perPage: limit, total: 121, hasMore, nextCursor: hasMore ? expect.any(String) : null });
        cursor = pageInfo.nextCursor;
        if (limit > 1) expect((await read(id, { perPage: limit, page: start / limit + 1 })).ids).toEqual(found);
      }
    }
  });

  test('entries that are added while a client reads the pages do not shift the next page', async () => {
    const [id = ''] = ids;
    const expected = await model(id);
    const { pageInfo } = await read(id, { limit: 10 });
    for (const kind of [0, 1, 2]) await add(id, kind, 41);
    expect((await read(id, { limit: 10, cursor: pageInfo.nextCursor })).ids).toEqual(expected.slice(10, 20));
    expect((await read(id, { limit: 200 })).ids.slice(3)).toEqual(expected);
  });

  test('the timeline of a service of another account or organization has no entries and a total of 0', async () => {
    const { rows } = alone.ports(new ScriptedProvider(() => Promise.reject(new Error('no order'))));
    const found = async (organizationId: string, accounts: string[] | null): Promise<number[]> => {
      const store = new TimelineStore(rows, { organizationId, accounts });
      const [id = ''] = ids;
      return [(await store.entries(id, { limit: 5, offset: 0 })).length, await store.total(id)];
    };
    expect(await found('org_test', ['acc_2', 'acc_1'])).toEqual([5, expect.any(Number)]);
    expect(await found('org_test', ['acc_2'])).toEqual([0, 0]);
    expect(await found('org_other', null)).toEqual([0, 0]);
  });

  test('each timeline entry has its record in the field of its kind, and null in the two other fields', async () => {
    const { nodes } = (await query(TIMELINE, { id: ids[1], page: { limit: 200 } })).service.timeline;
    const kinds = new Set<string>();
    for (const { id, createdAt, ...records } of nodes) {
      const found = Object.entries(records as Json).filter(([, record]) => record !== null);
      expect(found).toHaveLength(1);
      const [kind, record] = found[0] as [string, Json];
      kinds.add(kind);
      expect(id.startsWith({ statusChange: 'chg_', change: 'order_', maintenanceWindow: 'maint_' }[kind])).toBe(true);
      expect([record.id, record.at ?? record.createdAt]).toEqual([id, createdAt]);
    }
    expect(kinds).toEqual(new Set(['statusChange', 'change', 'maintenanceWindow']));
  });
});

describe('timelines through the API', () => {
  let tenant: Tenant;
  let accountId: string;
  let id: string;
  beforeAll(async () => {
    ({ tenant, accountId } = await tenantWithAccount());
    ({ id } = await serviceThatIs('operational', tenant, accountId, { bandwidth: '500mbps' }));
    await tenant.rest('PUT', `/services/${id}`, { body: { bandwidth: '1gbps' } });
    await settledRecord(async () => (await tenant.rest('GET', `/services/${id}`)).body.data);
  });
  const read = (of: Tenant, page?: Json): Promise<Json> => of.graphql(TIMELINE, { id, page });

  test('the timeline of a service that was ordered and changed contains the change and each status of the service', async () => {
    const { timeline } = (await read(tenant)).data.service;
    expect(timeline.nodes).toMatchObject([
      { statusChange: null, change: { changes: { bandwidth: { from: '500mbps', to: '1000mbps' } } }, maintenanceWindow: null },
      { statusChange: { to: 'OPERATIONAL' }, change: null },
      { statusChange: { to: 'PROVISIONING' } },
      { statusChange: { to: 'PENDING' } },
    ]);
    expect(timeline.pageInfo).toEqual({ page: 1, perPage: 50, total: 4, pages: 1, hasMore: false, nextCursor: null });
  });

  test.each([{ limit: 0 }, { limit: 201 }, { cursor: 'none' }])('a timeline with the page %j returns INVALID_PARAMETERS', async (page) => {
    expect((await read(tenant, page)).errors[0].extensions).toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { field: expect.stringContaining(Object.keys(page)[0] as string) },
    });
  });

  test('reading a timeline requires services:read, and a caller who is limited to accounts gets only timelines of services of these accounts', async () => {
    // an order needs only services:create, and its response may have a service
    const orderer = await tenant.limitedTo('services:create');
    const order = (field: string): Promise<Json> =>
      orderer.graphql('mutation ($input: CatalogOrderInput!) { orderCatalogService(input: $input) { id FIELD } }'.replace('FIELD', field), {
        input: { catalogId: 'sip_trunking', accountId, configuration: { channels: 1 } },
      });
    expect((await order('status')).errors).toBeUndefined();
    expect((await order('timeline { pageInfo { total } }')).errors[0].extensions).toMatchObject({
      code: 'INSUFFICIENT_PERMISSIONS',
      details: { required: 'services:read' },
    });
    const { data } = await read(tenant);
    expect((await read(await limitedTo(tenant, accountId))).data).toEqual(data);
    expect((await read(await limitedTo(tenant, (await createAccount(tenant)).id))).data).toEqual({ service: null });
    expect((await read(await (await rig()).organization())).data).toEqual({ service: null });
  });

  test('reading the timelines of five services runs as many statements as reading one timeline', async () => {
    const platform = await rig();
    const statements = async (count: number): Promise<string[]> => {
      const own = await tenantWithAccount();
      for (let index = 0; index < count; index += 1) {
        const service = await serviceThatIs('operational', own.tenant, own.accountId);
        await own.tenant.rest('PUT', `/services/${service.id}`, { body: { name: 'Other' } });
        const hours = (from: number): string => new Date(platform.clock.now().getTime() + from * 3_600_000).toISOString();
        await own.tenant.rest('PUT', `/services/${service.id}/scaling`, {
          body: { scaling_action: 'scale_up', new_bandwidth: '2gbps', maintenance_window: { start: hours(100), duration: '1_hour' } },
        });
      }
      const readAll = async (): Promise<void> => {
        const { data, errors } = await own.tenant.graphql(`{ services { nodes { timeline(page: { limit: 5 }) ${PAGE} } } }`);
        expect(errors).toBeUndefined();
        expect(data.services.nodes.map(({ timeline }: Json) => timeline.pageInfo.total)).toEqual(Array(count).fill(6));
      };
      return platform.clock.standingStill(async () => {
        await readAll();
        return (await platform.statements(readAll)).filter((sql) => sql.includes('"services"'));
      });
    };
    const one = await statements(1);
    // the services, the order of the entries, the totals, and the records of each kind
    expect(one).toHaveLength(6);
    expect(await statements(5)).toHaveLength(one.length);
  });
});

/** Creates a caller who is limited to one account. */
async function limitedTo(tenant: Tenant, account: string): Promise<Tenant> {
  const body = { name: 'Limited', permissions: ['*:*'], accounts: [account] };
  return new Tenant(tenant.origin, tenant.organizationId, (await tenant.rest('POST', '/auth/api-keys', { body })).body.api_key.key);
}

/** Pseudorandom numbers from 0 to 1, the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
