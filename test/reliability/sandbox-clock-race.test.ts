import { expect, test, vi } from 'vitest';
import { Principal } from '../../kernel/access/principal.ts';
import type { Ports } from '../../kernel/domain.ts';
import { newId } from '../../kernel/records/ids.ts';
import { DAY_MS } from '../../kernel/values/days.ts';
import { clockLock } from '../../subgraphs/billing/sandbox/sandbox-clock.store.ts';
import { billing } from '../../subgraphs/billing/subgraph.ts';
import { silent, storeFor } from '../support/domain-world.ts';
import type { Json } from '../tenant.ts';
import { BillingProcess } from './billing-world.ts';
import { SubscriptionWorld } from './subscription-world.ts';

/** The billing domain of a sandbox. A test can hold requests while they read from other domains. */
class SandboxWorld extends SubscriptionWorld {
  held: Promise<unknown> | undefined;
  reads = 0;

  static override async open(): Promise<SandboxWorld> {
    return new SandboxWorld(await storeFor(billing));
  }

  override async start(): Promise<BillingProcess> {
    const ports = { ...this.ports(), mailer: NO_MAILER, sms: NO_MAILER, mailsInvoices: false, sandbox: true };
    return new BillingProcess(this, billing.start(ports), ports.jobs).begin();
  }

  protected override ports(): Ports {
    const ports = super.ports();
    const query = async (...given: Parameters<Ports['graph']['query']>): Promise<unknown> => {
      this.reads += 1;
      await this.held;
      return ports.graph.query(...given);
    };
    return { ...ports, graph: { query } as unknown as Ports['graph'] };
  }
}

const NO_MAILER = { send: () => Promise.reject(new Error('The tests send no mail.')), close: async () => undefined };

interface Sandboxed {
  world: SandboxWorld;
  run(source: string, variables?: object): Promise<Json>;
}

async function opened(): Promise<Sandboxed> {
  const world = await SandboxWorld.open();
  world.clock.set(new Date('2026-03-01T00:00:00Z'));
  const process = await world.start();
  const principal = Principal.system('test', world.organizationId);
  const { around } = process.running.subgraph;
  const run = async (source: string, variables: object = {}): Promise<Json> =>
    around?.({ principal, requestId: 'req_1', log: silent }, () => process.execute(source, { ...variables }));
  return { world, run };
}

const ADVANCE = 'mutation ($to: DateTime!) { advanceSandboxClock(to: $to) { status } }';
const clockOf = async ({ run }: Sandboxed): Promise<Json> => (await run('{ sandboxClock { now status } }')).data.sandboxClock;

async function advanced(of: Sandboxed, days: number): Promise<Date> {
  const to = new Date(new Date((await clockOf(of)).now).getTime() + days * DAY_MS);
  expect((await of.run(ADVANCE, { to })).errors).toBeUndefined();
  await vi.waitFor(async () => expect(await clockOf(of)).toMatchObject({ status: 'READY' }), { timeout: 20_000, interval: 20 });
  return to;
}

const PREFERENCES = 'mutation ($id: ID!) { updateBillingPreferences(accountId: $id, input: { billingDay: 5 }) { updatedAt } }';
const CREDIT =
  'mutation ($id: ID!) { grantCredit(accountId: $id, input: { amount: 10, currency: "USD", reason: "Outage" }) { createdAt } }';
const USAGE = `mutation ($serviceId: ID!, $at: DateTime!) {
  recordUsage(events: [{ id: "one", serviceId: $serviceId, metric: "voice_minutes", quantity: 1, timestamp: $at }]) { accepted }
}`;

test.each([
  ['preferences of an account', PREFERENCES, 'select "updated_at" as "at" from "billing"."billing_account" where "updated_at" is not null'],
  ['a credit', CREDIT, 'select "created_at" as "at" from "billing"."credit_note"'],
  ['usage', USAGE, 'select "recorded_at" as "at" from "billing"."usage_event"'],
])('a change of %s that has read the time before an advance is refused after the advance', async (_, source, stored) => {
  for (const isFirst of [true, false]) {
    const of = await opened();
    const { world, run } = of;
    if (!isFirst) await advanced(of, 1);
    const id = world.account();
    const serviceId = newId('service');
    world.services.set(serviceId, { accountId: id, type: 'INTERNET', serviceType: 'fiber', currency: 'USD', account: { timezone: 'UTC' } });
    const variables = { id, serviceId, at: new Date((await clockOf(of)).now) };
    const release = Promise.withResolvers<void>();
    world.held = release.promise;
    const change = run(source, variables);
    await vi.waitFor(() => expect(world.reads).toBeGreaterThan(0), { timeout: 20_000 });
    const to = await advanced(of, 40);
    release.resolve();
    const { errors } = await change;
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_STATE' });
    expect(await world.rows(stored)).toEqual([]);
    expect((await run(source, { ...variables, at: to })).errors).toBeUndefined();
    expect((await world.rows<{ at: Date }>(stored)).map(({ at }) => new Date(at))).toEqual([to]);
  }
});

test('changes between two advances are not refused', async () => {
  const of = await opened();
  const id = of.world.account();
  for (const source of [PREFERENCES, CREDIT]) {
    expect((await of.run(source, { id })).errors).toBeUndefined();
    await advanced(of, 3);
  }
});

/** Runs only on PostgreSQL, because the embedded database has only one session. */
test.runIf(process.env.TEST_DATABASE_URL)('an advance begins after the changes that are being committed', async () => {
  const of = await opened();
  const { world, run } = of;
  let isBegun = false;
  let begun: Promise<unknown> | undefined;
  await world.store.orm.em.fork().transactional(async (tx) => {
    await tx.execute('select pg_advisory_xact_lock_shared(hashtextextended(?, 0))', [clockLock(world.organizationId)]);
    begun = run(ADVANCE, { to: new Date('2026-04-01T00:00:00Z') }).then(() => {
      isBegun = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(isBegun).toBe(false);
  });
  await begun;
  expect(isBegun).toBe(true);
});
