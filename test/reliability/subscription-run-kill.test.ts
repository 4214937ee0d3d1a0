import { expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { eventually } from '../rig.ts';
import { linesOf, react, SubscriptionWorld } from './subscription-world.ts';

const COUNT = 1000;
const KILLS = 4;

/** Runs only on PostgreSQL, because PGlite has no other connections to terminate. */
const onServer = test.skipIf(!process.env.TEST_DATABASE_URL);

onServer(
  'a run over 1,000 subscriptions whose transactions are killed issues 1,000 invoices with consecutive numbers',
  async () => {
    const world = await SubscriptionWorld.open();
    world.clock.set(new Date('2026-01-05T09:30:00Z'));
    const process = await world.start();
    const accountId = world.account();
    const service = { id: newId('service'), accountId, price: 10, provisionedAt: world.clock.now() };
    await react(process, world.event('provisioned', service, service.provisionedAt));
    for (let count = 1; count < COUNT; count += 1) world.zones.set(`${accountId}x${count}`, 'UTC');
    for (const table of ['subscription', 'subscription_item'])
      await world.query(
        `insert into "billing"."${table}" select (jsonb_populate_record(r, copied.fields)).* from "billing"."${table}" r, generate_series(1, ${COUNT - 1}) n,
           lateral (select jsonb_object_agg(key, value || 'x' || n) as fields from jsonb_each_text(to_jsonb(r))
             where key in ('id', 'account_id', 'subscription_id', 'service_id')) copied`,
      );
    const second = await world.start();
    world.clock.set(new Date('2026-02-05T02:00:00Z'));
    let killed = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await eventually(async () => (await linesOf(world)).length > (kill * COUNT) / (KILLS + 2));
      const found = await world.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' and xact_start is not null`,
      );
      killed += found.length;
    }
    await eventually(async () => (await linesOf(world)).length >= COUNT + 1, 60_000);
    const lines = await linesOf(world);
    expect(lines.map(({ number }) => Number(number.slice(4)))).toEqual(Array.from({ length: COUNT + 1 }, (_, index) => 1001 + index));
    expect(new Set(lines.slice(1).map(({ service_id }) => service_id)).size).toBe(COUNT);
    expect(killed).toBeGreaterThan(0);
    await second.stop();
  },
  120_000,
);
