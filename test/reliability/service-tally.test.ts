import { expect, test } from 'vitest';
import type { Accounts } from '../../kernel/access/principal.ts';
import { SERVICE_ACCOUNT_TALLY, SERVICE_TALLY } from '../../subgraphs/services/inventory/service-tallies.ts';
import { services } from '../../subgraphs/services/subgraph.ts';
import { DomainProcess, DomainWorld, type Store, storeBefore, storeFor } from '../support/domain-world.ts';
import { seeded } from '../support/random-values.ts';
import type { Json } from '../tenant.ts';
import { TallyCheck, whileChanging } from './tally-check.ts';

const DAY_MS = 86_400_000;
const BEGIN_MS = Date.parse('2026-03-01T00:00:00Z');
const ACCOUNTS = ['acc_0', 'acc_1', 'acc_2', 'acc_3'];
const STATUSES = ['operational', 'degraded', 'down', 'failed', 'decommissioned'];
const CITIES = ['Albany', 'New York', 'Austin'];
const SLAS = ['enterprise', 'business', 'standard', null];
const PRIORITY: Readonly<Record<string, string>> = { enterprise: 'HIGH', business: 'MEDIUM' };
/** Offers of the catalog, each with its category. */
const OFFERS = [
  { catalog_id: 'business_fiber', type: 'internet', service_type: 'fiber', category: 'connectivity' },
  { catalog_id: 'business_dsl', type: 'internet', service_type: 'dsl', category: 'connectivity' },
  { catalog_id: 'mpls_network', type: 'network', service_type: 'mpls', category: 'connectivity' },
  { catalog_id: 'sip_trunking', type: 'sip_trunk', service_type: 'sip_trunk', category: 'voice' },
] as const;

interface ServiceRow {
  id: string;
  account_id: string;
  catalog_id: string;
  type: string;
  service_type: string;
  name: string;
  status: string;
  city: string;
  sla: string | null;
  created_at: Date;
}

type Random = () => number;
const below = (random: Random, count: number): number => Math.floor(random() * count);
const oneOf = <T>(random: Random, items: readonly T[]): T => items[below(random, items.length)] as T;
const someOf = <T>(random: Random, items: readonly T[]): T[] => items.filter(() => random() < 0.4);
/** Returns a random time, often midnight, so that ranges begin and end at the limits of days and within them. */
const time = (random: Random): Date =>
  new Date(BEGIN_MS + below(random, 60) * DAY_MS + (random() < 0.4 ? 0 : below(random, 24) * 3_600_000));

/** Generates services. The same seed gives the same services. */
function randomServices(seed: number, count: number, name: string): ServiceRow[] {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, index) => {
    const { category, ...offer } = oneOf(random, OFFERS);
    return {
      ...offer,
      id: `svc_${name}_${String(index).padStart(5, '0')}`,
      account_id: oneOf(random, ACCOUNTS),
      name: `Line ${below(random, 30)}`,
      status: random() < 0.5 ? 'operational' : oneOf(random, STATUSES),
      city: oneOf(random, CITIES),
      sla: oneOf(random, SLAS),
      created_at: time(random),
    };
  });
}

/**
 * Inserts services that the platform does not measure, because a measurement could change their status. The platform and other writers see
 * the rows only at the end of the transaction: two transactions that change several of the same rows could wait for each other.
 */
async function insert({ orm }: Pick<Store, 'orm'>, all: readonly ServiceRow[], organizationId: string): Promise<void> {
  const [given, ids] = [JSON.stringify(all), JSON.stringify(all.map(({ id }) => id))];
  await orm.em.fork().transactional(async (tx) => {
    await tx.execute(
      `insert into "services"."service" ("id", "organization_id", "account_id", "type", "service_type", "catalog_id", "name", "status", "location",
         "sla", "billing_cycle", "monthly_price", "currency", "configuration", "created_at", "updated_at")
       select r."id", ?, r."account_id", r."type", r."service_type", r."catalog_id", r."name", r."status", json_build_object('city', r."city"),
         r."sla", 'monthly', 1, 'USD', '{}', r."created_at", r."created_at"
       from json_to_recordset(?::json) as r("id" text, "account_id" text, "type" text, "service_type" text, "catalog_id" text, "name" text,
         "status" text, "city" text, "sla" text, "created_at" timestamptz)
       on conflict do nothing`,
      [organizationId, given],
    );
    await tx.execute(
      `update "services"."service_measurement" set "due_at" = now() + interval '100 years'
       where "service_id" in (select json_array_elements_text(?::json))`,
      [ids],
    );
  });
}

const LIST = `query($filter: ServiceFilter, $page: PageInput) {
  services(filter: $filter, page: $page) { nodes { id } pageInfo { total nextCursor } }
}`;

class ServicesWorld extends DomainWorld {
  readonly tallies: TallyCheck;

  constructor(store: Store) {
    super(store);
    this.tallies = new TallyCheck(store.rows, [SERVICE_TALLY, SERVICE_ACCOUNT_TALLY]);
  }

  /** Starts another process of the services domain on the same database. */
  start(): Promise<DomainProcess> {
    const ports = this.ports();
    return new DomainProcess(this, services.start(ports), ports.jobs).begin();
  }

  /** Changes services as processes of any release do. Each value of `turn` selects other services. */
  async change(turn: number): Promise<void> {
    const { rows } = this.store;
    await insert(this.store, randomServices(1000 + turn, 3, `new_${turn}`), this.organizationId);
    await rows.query(
      `update "services"."service" set "status" = ($1::text[])[1 + $2::int % 5], "name" = 'Changed' where "id" like '%' || $3::text`,
      [STATUSES, turn, String(turn % 100).padStart(2, '0')],
    );
    await rows.query(`delete from "services"."service" where "id" = $1`, [`svc_old_${String(turn).padStart(5, '0')}`]);
  }
}

async function list(
  process: DomainProcess,
  filter: object,
  page: object,
  accounts: Accounts,
): Promise<{ ids: string[]; total: number; next: string }> {
  const { data, errors } = await process.execute(LIST, { filter, page }, accounts);
  if (errors?.[0]) throw errors[0];
  const { nodes, pageInfo } = (data as Json).services;
  return { ids: nodes.map(({ id }: Json) => id), total: pageInfo.total, next: pageInfo.nextCursor };
}

/** A list of services, and the ids of its services in their order, computed by a plain scan. */
interface ServiceCase {
  filter: object;
  accounts: Accounts;
  limit: number;
  expected: string[];
}

/** Generates lists with random filters, callers and page sizes. */
function serviceCases(seed: number, count: number, all: readonly ServiceRow[]): ServiceCase[] {
  const random = seeded(seed);
  const upper = (texts: readonly string[] | undefined) => texts?.map((text) => text.toUpperCase());
  return Array.from({ length: count }, () => {
    const maybe = <T>(probability: number, make: () => T): T | undefined => (random() < probability ? make() : undefined);
    const id = maybe(0.1, () => [...Array.from({ length: 40 }, () => oneOf(random, all).id), 'svc_unknown']);
    const status = maybe(0.4, () => someOf(random, STATUSES));
    const type = maybe(0.3, () => someOf(random, ['internet', 'network', 'sip_trunk']));
    const serviceType = maybe(0.2, () => someOf(random, ['fiber', 'dsl', 'mpls', 'sip_trunk', 'unknown']));
    const category = maybe(0.3, () => someOf(random, ['connectivity', 'voice', 'cloud']));
    const priority = maybe(0.2, () => someOf(random, ['HIGH', 'MEDIUM', 'LOW']));
    const accountId = maybe(0.3, () => someOf(random, [...ACCOUNTS, 'acc_unknown']));
    const accounts = maybe(0.4, () => [oneOf(random, ACCOUNTS), ...someOf(random, ACCOUNTS)]) ?? null;
    const [one, other] = [maybe(0.4, () => time(random)), maybe(0.4, () => time(random))];
    const [dateFrom, dateTo] = one && other && one > other ? [other, one] : [one, other];
    const location = maybe(0.1, () => oneOf(random, ['ALBANY', 'new', 'Austin']));
    const search = maybe(0.1, () => oneOf(random, ['line 1', 'fiber', 'york']));
    const isWanted = (service: ServiceRow): boolean =>
      (id?.includes(service.id) ?? true) &&
      (status?.includes(service.status) ?? true) &&
      (type?.includes(service.type) ?? true) &&
      (serviceType?.includes(service.service_type) ?? true) &&
      (category?.includes(OFFERS.find(({ catalog_id }) => catalog_id === service.catalog_id)?.category ?? '') ?? true) &&
      (priority?.includes(PRIORITY[service.sla ?? ''] ?? 'LOW') ?? true) &&
      (accountId?.includes(service.account_id) ?? true) &&
      (accounts?.includes(service.account_id) ?? true) &&
      (!dateFrom || service.created_at >= dateFrom) &&
      (!dateTo || service.created_at < dateTo) &&
      (!location || service.city.toLowerCase().includes(location.toLowerCase())) &&
      (!search || [service.name, service.service_type, service.city].some((text) => text.toLowerCase().includes(search)));
    const expected = all
      .filter(isWanted)
      .toSorted((a, b) => Number(b.created_at) - Number(a.created_at) || (a.id < b.id ? 1 : -1))
      .map((service) => service.id);
    const filter = {
      id,
      status: upper(status),
      type: upper(type),
      serviceType,
      category,
      priority,
      accountId,
      dateFrom,
      dateTo,
      location,
      search,
    };
    return { filter, accounts, limit: oneOf(random, [1, 7, 20, 100]), expected };
  });
}

/** The services of the organization, as they are stored. */
async function stored({ store: { rows }, organizationId }: ServicesWorld): Promise<ServiceRow[]> {
  const found = await rows.query<ServiceRow>(
    `select "id", "account_id", "catalog_id", "type", "service_type", "name", "status", "location" ->> 'city' as "city", "sla", "created_at"
     from "services"."service" where "organization_id" = $1`,
    [organizationId],
  );
  // the embedded database returns timestamps as texts
  return found.map((row) => ({ ...row, created_at: new Date(row.created_at) }));
}

/** Expects that the first two pages of random lists have the services and the total of a plain scan. */
async function expectLists(world: ServicesWorld, process: DomainProcess, seed: number, count: number): Promise<void> {
  for (const { filter, accounts, limit, expected } of serviceCases(seed, count, await stored(world))) {
    const name = JSON.stringify({ filter, accounts, limit });
    const first = await list(process, filter, { limit }, accounts);
    expect(first, name).toMatchObject({ ids: expected.slice(0, limit), total: expected.length });
    for (const page of first.next
      ? [
          { limit, cursor: first.next },
          { limit, page: 2 },
        ]
      : [])
      expect(await list(process, filter, page, accounts), name).toMatchObject({
        ids: expected.slice(limit, 2 * limit),
        total: expected.length,
      });
  }
}

test('after an upgrade, each existing service is counted once, even if services change meanwhile', async () => {
  const { store, migrate } = await storeBefore(services, '0025-service-tally');
  const world = new ServicesWorld(store);
  await insert(store, randomServices(1, 1500, 'old'), world.organizationId);
  await insert(store, randomServices(2, 300, 'other'), 'org_other');
  await migrate();
  await whileChanging(
    (turn) => world.change(turn),
    async () => {
      // one after the other, because two concurrent starts in one process could both create the embedded job queue
      await world.start();
      await world.start();
      await world.tallies.untilCounted();
    },
  );
  await world.tallies.expectExact();
  await world.tallies.untilCompacted();
  await world.tallies.expectExact();
  expect(await world.drift()).toBe('');
});

test.runIf(process.env.TEST_DATABASE_URL)(
  'the totals of service lists are exact before and after the existing services are counted',
  async () => {
    const { store, migrate } = await storeBefore(services, '0025-service-tally');
    const world = new ServicesWorld(store);
    await insert(store, randomServices(3, 400, 'old'), world.organizationId);
    await migrate();
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = store.orm.em.fork().transactional(async (tx) => {
      await tx.execute('select 1 from "services"."backfill" for update');
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const process = await world.start();
    await expectLists(world, process, 4, 40);
    held.resolve();
    await holding;
    await world.tallies.untilCounted();
    await expectLists(world, process, 5, 40);
  },
);

test('random lists of services have the services and the total of a plain scan, also while two processes compact the counters', async () => {
  const world = new ServicesWorld(await storeFor(services));
  const process = await world.start();
  await insert(world.store, randomServices(6, 700, 'old'), world.organizationId);
  await insert(world.store, randomServices(7, 200, 'other'), 'org_other');
  await world.start();
  await expectLists(world, process, 8, 100);
  for (let turn = 0; turn < 30; turn += 1) await world.change(turn);
  await expectLists(world, process, 9, 60);
  await world.tallies.untilCompacted();
  await world.tallies.expectExact();
  await expectLists(world, process, 10, 60);
});
