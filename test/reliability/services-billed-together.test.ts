import { expect, test } from 'vitest';
import type { LoggedEvent } from '../../kernel/events/events.ts';
import { newId } from '../../kernel/records/ids.ts';
import { DAY_MS } from '../../kernel/values/days.ts';
import { lockAccount } from '../../subgraphs/billing/subscriptions/account-lock.ts';
import { eventually } from '../rig.ts';
import { pick, seeded } from '../support/random-values.ts';
import type { BillingProcess } from './billing-world.ts';
import { linesOf, revenueOf, type ServiceState, SubscriptionWorld } from './subscription-world.ts';

const NOW = new Date('2026-01-30T15:00:00Z');
const ZONES = ['UTC', 'America/New_York', 'Asia/Tokyo'];
const RUNS = Number(process.env.MODEL_RUNS ?? 5);

interface Plan {
  accounts: Map<string, string>;
  services: ServiceState[];
  /** Events that arrive before the events of the provisioning. */
  early: { kind: 'modified' | 'decommissioned'; service: ServiceState; at: Date }[];
}

/** Creates a random plan: services of several accounts and currencies, of which some are changed or ended before their first event arrives. */
function planOf(random: () => number): Plan {
  const chosen = <T>(of: readonly T[]): T => pick(of, { random });
  const accounts = new Map(ZONES.map((zone) => [newId('account'), zone]));
  const unknown = newId('account');
  const services = Array.from({ length: 4 + Math.floor(random() * 20) }, (): ServiceState => {
    const provisionedAt = new Date(NOW.getTime() - Math.floor(random() * 3 * DAY_MS));
    const of = random() < 0.1 ? unknown : chosen([...accounts.keys()]);
    const priced = { price: chosen([0, 10, 99.99, 310]), fee: chosen([0, 0, 49.5]), currency: chosen(['USD', 'USD', 'EUR']) };
    return { id: newId('service'), accountId: of, ...priced, cycle: chosen(['monthly', 'quarterly', 'annual']), provisionedAt };
  });
  const early = services.flatMap((service): Plan['early'] => {
    const at = new Date(service.provisionedAt.getTime() + 3_600_000);
    const changed = { ...service, price: 55 };
    if (random() < 0.15) return [{ kind: 'modified', service: changed, at }];
    if (random() < 0.15) return [{ kind: 'decommissioned', service, at }];
    return [];
  });
  return { accounts, services, early };
}

/** Bills the services of a plan and the two months after, and returns what was billed. `handle` gets the events of the provisioning. */
async function billed({ accounts, services, early }: Plan, handle: (process: BillingProcess, events: LoggedEvent[]) => Promise<void>) {
  const world = await SubscriptionWorld.open();
  for (const [id, zone] of accounts) world.zones.set(id, zone);
  world.clock.set(NOW);
  const process = await world.start();
  for (const { kind, service, at } of early) {
    const event = world.event(kind, service, at);
    for (const reaction of process.running.reactions ?? []) if (reaction.on === event.event) await reaction.handle(event);
  }
  const known = services.slice(0, 2).map((service) => world.event('provisioned', service, service.provisionedAt));
  for (const event of known) await handle(process, [event]);
  const events = services.slice(2).map((service) => world.event('provisioned', service, service.provisionedAt));
  // the event of a service may arrive twice
  await handle(process, [...known, ...events]);
  await handle(process, events.slice(0, 3));
  const first = await linesOf(world);
  world.clock.set(new Date(NOW.getTime() + 62 * DAY_MS));
  await eventually(
    async () => (await world.rows('select from "billing"."subscription" where "bill_due_at" <= $1', world.clock.now())).length === 0,
  );
  const lines = await linesOf(world);
  const ids = services.map(({ id }) => id);
  // ids and invoice numbers differ: lines are compared by their service, and invoices by their lines
  const about = ({ service_id: id, kind, amount, period_start: start, period_end: end }: (typeof lines)[number]) =>
    [ids.indexOf(id), kind, amount, start.toISOString(), end.toISOString()].join(' ');
  const invoices = Map.groupBy(lines, ({ number }) => number);
  const result = {
    numbers: [...invoices.keys()].map((number) => Number(number.slice(4))),
    first: first.map(about).toSorted(),
    invoices: [...invoices.values()].map((of) => of.map(about).toSorted().join('; ')).toSorted(),
    revenue: await Promise.all([...accounts.keys()].map((id) => revenueOf(world, id))),
    // a service that has ended already has a subscription of its own only if it is billed first
    subscriptions: await world.rows(
      `select count(i."id")::int as "items", s."currency", array_position($2::text[], s."account_id") as "account", s."bill_due_at"
       from "billing"."subscription" s left join "billing"."subscription_item" i on i."subscription_id" = s."id" and i."state" <> 'ended'
       where s."organization_id" = $1 and s."status" = 'active' group by s."id" order by 3, 2`,
      world.organizationId,
      [...accounts.keys()],
    ),
    recurring: await world.rows(
      `select array_position($2::text[], "account_id") as "account", "currency", "day"::text, sum("added")::text as "added",
         sum("expanded")::text as "expanded", sum("contracted")::text as "contracted", sum("churned")::text as "churned"
       from "billing"."recurring_day" where "organization_id" = $1 group by 1, 2, 3 order by 1, 2, 3`,
      world.organizationId,
      [...accounts.keys()],
    ),
  };
  await process.stop();
  return result;
}

const separately = async (process: BillingProcess, events: readonly LoggedEvent[]): Promise<void> => {
  for (const event of events)
    for (const reaction of process.running.reactions ?? []) if (reaction.on === event.event) await reaction.handle(event);
};

const together = async (process: BillingProcess, events: readonly LoggedEvent[]): Promise<void> => {
  for (const reaction of process.running.reactions ?? []) if (reaction.on === events[0]?.event) await reaction.handleTogether?.(events);
};

test.each(Array.from({ length: RUNS }, (_, seed) => seed))(
  'services that are billed together have the same invoices, subscriptions and recurring revenue as services that are billed one by one, seed %i',
  async (seed) => {
    const plan = planOf(seeded(seed));
    const expected = await billed(plan, separately);
    const actual = await billed(plan, together);
    expect(actual).toEqual(expected);
    expect(actual.numbers).toEqual(actual.numbers.map((_, index) => 1001 + index));
  },
);

test('prices of services of several organizations that are recorded together count in the recurring revenue of their organizations', async () => {
  const world = await SubscriptionWorld.open();
  world.clock.set(NOW);
  const process = await world.start();
  const { organizationId: one } = world;
  const other = newId('organization');
  const accountId = newId('account');
  // the services of both organizations have the same ids: only the organization tells them apart
  const priced = { fee: 0, currency: 'USD', cycle: 'monthly' as const, provisionedAt: NOW };
  const service: ServiceState = { id: newId('service'), accountId, price: 100, ...priced };
  const record = async (kind: 'provisioned' | 'decommissioned', prices: [organizationId: string, price: number][], at: Date) => {
    const events = prices.map(([organizationId, price]) => ({ ...world.event(kind, { ...service, price }, at), organizationId }));
    await process.running.reactions?.find(({ name }) => name === `billing.recurring-${kind}`)?.handleTogether?.(events);
  };
  // an event may arrive twice
  await record(
    'provisioned',
    [
      [one, 100],
      [other, 7],
      [other, 7],
    ],
    NOW,
  );
  await record(
    'decommissioned',
    [
      [one, 100],
      [other, 7],
    ],
    new Date(NOW.getTime() + 1),
  );
  const recurring = await world.rows(
    `select "organization_id", "account_id", sum("added")::float8 as "added", sum("churned")::float8 as "churned"
     from "billing"."recurring_day" where "organization_id" in ($1, $2) group by 1, 2 order by 3, 2`,
    one,
    other,
  );
  const sumsOf = (organization: string, price: number): object[] =>
    ['', accountId].map((id) => ({ organization_id: organization, account_id: id, added: price, churned: -price }));
  expect(recurring).toEqual([...sumsOf(other, 7), ...sumsOf(one, 100)]);
  await process.stop();
});

test.runIf(process.env.TEST_DATABASE_URL)(
  'a subscription whose account was locked by an earlier change gets a time after this change, not the time at which it began to wait',
  async () => {
    const world = await SubscriptionWorld.open();
    world.clock.set(NOW);
    const running = await world.start();
    const accountId = world.account();
    const service: ServiceState = { id: newId('service'), accountId, price: 100, provisionedAt: NOW };
    const event = world.event('provisioned', service, NOW);
    const later = new Date(NOW.getTime() + 60_000);
    let billing: Promise<void> | undefined;
    await world.store.orm.em.fork().transactional(async (tx) => {
      await lockAccount(tx, world.organizationId, accountId);
      billing = together(running, [event]);
      const waiting = `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`;
      await eventually(async () => (await world.rows(waiting)).length > 0);
      world.clock.set(later);
    });
    await billing;
    const [subscription] = await world.rows<{ at: number }>(
      `select extract(epoch from "created_at")::float8 * 1000 as "at" from "billing"."subscription"`,
    );
    expect(subscription?.at).toBeGreaterThanOrEqual(later.getTime());
    await running.stop();
  },
);
