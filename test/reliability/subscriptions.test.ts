import { describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/values/days.ts';
import { Decimal } from '../../kernel/values/money.ts';
import { proratedShare } from '../../subgraphs/billing/calculation/proration.ts';
import { eventually } from '../rig.ts';
import { seeded } from '../support/random-values.ts';
import type { BillingProcess } from './billing-world.ts';
import { linesOf, react, revenueOf, type ServiceState, SubscriptionWorld } from './subscription-world.ts';

const at = (text: string): Date => new Date(text);

async function opened(now: string, zone = 'UTC'): Promise<{ world: SubscriptionWorld; process: BillingProcess; service: ServiceState }> {
  const world = await SubscriptionWorld.open();
  world.clock.set(at(now));
  const process = await world.start();
  const service = { id: newId('service'), accountId: world.account(zone), price: 310, provisionedAt: world.clock.now() };
  return { world, process, service };
}

/** Moves the clock, and waits until no billing work is due. */
async function moveTo(world: SubscriptionWorld, time: string | Date): Promise<void> {
  world.clock.set(typeof time === 'string' ? at(time) : time);
  await settled(world);
}

const settled = (world: SubscriptionWorld): Promise<unknown> =>
  eventually(async () => {
    const due = await world.rows('select from "billing"."subscription" where "bill_due_at" <= $1', world.clock.now());
    return due.length === 0;
  });

describe('recurring billing', () => {
  test('a service that began on 31 January is billed on the last day of shorter months for a year, each period once', async () => {
    const { world, process, service } = await opened('2026-01-31T09:30:00Z');
    await react(process, world.event('provisioned', { ...service, fee: 99 }, service.provisionedAt));
    await moveTo(world, '2027-01-31T02:00:00Z');
    const lines = await linesOf(world);
    expect(lines.filter(({ kind }) => kind === 'fee')).toMatchObject([{ number: 'INV-1001', amount: '99.0000' }]);
    const periods = lines.filter(({ kind }) => kind === 'recurring').map(({ period_start, period_end }) => [period_start, period_end]);
    expect(periods.map(([start]) => start?.toISOString().slice(0, 10))).toEqual([
      ...['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30', '2026-07-31'],
      ...['2026-08-31', '2026-09-30', '2026-10-31', '2026-11-30', '2026-12-31', '2027-01-31'],
    ]);
    periods.forEach(([, end], index) => {
      if (periods[index + 1]) expect(end).toEqual(periods[index + 1]?.[0]);
    });
    expect(new Set(lines.map(({ number }) => number)).size).toBe(13);
  });

  test('services that began on one day share an invoice from the second period on', async () => {
    const { world, process, service } = await opened('2026-03-10T09:30:00Z', 'America/New_York');
    const other = { ...service, id: newId('service') };
    for (const one of [service, other]) await react(process, world.event('provisioned', one, service.provisionedAt));
    await moveTo(world, '2026-04-10T06:00:00Z');
    expect((await linesOf(world)).map(({ number }) => number)).toEqual(['INV-1001', 'INV-1002', 'INV-1003', 'INV-1003']);
  });

  test('a service that ends at 00:00 local time on the 16th of a month with 31 days costs the price of 15 days', async () => {
    const { world, process, service } = await opened('2026-03-01T15:00:00Z', 'America/New_York');
    await react(process, world.event('provisioned', service, service.provisionedAt));
    await moveTo(world, '2026-03-16T04:00:00Z');
    const ended = world.event('decommissioned', service, world.clock.now());
    await Promise.all([react(process, ended), react(process, ended)]);
    expect(await revenueOf(world, service.accountId)).toBe('150');
    const subscription = 'select "status", "bill_due_at" from "billing"."subscription"';
    expect(await world.rows(subscription)).toMatchObject([{ status: 'cancelled' }]);
    // until then, usage of the service can arrive
    await moveTo(world, '2026-05-17T06:00:00Z');
    expect(await world.rows(subscription)).toEqual([{ status: 'cancelled', bill_due_at: null }]);
    expect(await revenueOf(world, service.accountId)).toBe('150');
  });

  test('a service with the price 0 has no invoices, and its next billing date still advances', async () => {
    const { world, process, service } = await opened('2026-01-05T09:30:00Z');
    await react(process, world.event('provisioned', { ...service, price: 0 }, service.provisionedAt));
    await moveTo(world, '2026-04-05T02:00:00Z');
    expect(await linesOf(world)).toEqual([]);
    const [item] = await world.rows<{ billed_until: Date }>('select "billed_until" from "billing"."subscription_item"');
    expect(new Date(item?.billed_until as Date)).toEqual(at('2026-05-05T00:00:00Z'));
  });

  test('the subscription of an account that no longer exists ends without an invoice', async () => {
    const { world, process, service } = await opened('2026-01-05T09:30:00Z');
    await react(process, world.event('provisioned', service, service.provisionedAt));
    world.zones.delete(service.accountId);
    await moveTo(world, '2026-02-05T02:00:00Z');
    expect(await linesOf(world)).toHaveLength(1);
    expect(await world.rows('select "status" from "billing"."subscription"')).toEqual([{ status: 'cancelled' }]);
  });

  test('two processes bill 60 due subscriptions once, with consecutive numbers', async () => {
    const { world, process, service } = await opened('2026-01-05T09:30:00Z');
    const second = await world.start();
    for (let count = 0; count < 60; count += 1) {
      const one = { ...service, id: newId('service'), accountId: world.account() };
      await react(count % 2 ? process : second, world.event('provisioned', one, service.provisionedAt));
    }
    await moveTo(world, '2026-02-05T02:00:00Z');
    const numbers = (await linesOf(world)).map(({ number }) => Number(number.slice(4)));
    expect(numbers).toEqual(Array.from({ length: 120 }, (_, index) => 1001 + index));
  });
});

describe('changes of a service', () => {
  const ZONES = ['UTC', 'America/New_York', 'America/Santiago', 'Australia/Lord_Howe'];

  test.each([1, 2, 3, 4, 5, 6])(
    'the charges of a service with the random history %i add up to its prices in local time, although events arrive repeatedly and in any order',
    async (seed) => {
      const random = seeded(seed);
      const zone = ZONES[seed % ZONES.length] as string;
      const begin = at(`2026-0${1 + (seed % 9)}-${10 + seed}T0${seed}:17:23Z`);
      const { world, process, service } = await opened(begin.toISOString(), zone);
      const history = [{ kind: 'provisioned' as const, state: service, time: begin }];
      let time = begin;
      const changes: { time: Date; price: number }[] = [{ time: begin, price: service.price }];
      for (let count = 0; count < 5; count += 1) {
        time = new Date(time.getTime() + Math.ceil(random() * 20 * DAY_MS));
        const price = Math.round(random() * 100_000) / 100;
        changes.push({ time, price });
        history.push({ kind: 'modified' as never, state: { ...service, price }, time });
      }
      const end = new Date(time.getTime() + Math.ceil(random() * 20 * DAY_MS));
      history.push({ kind: 'decommissioned' as never, state: service, time: end });

      // each event arrives at its time, or with a later one
      const waiting = history.map(({ kind, state, time: when }) => world.event(kind, state, when));
      for (const [index, event] of waiting.entries()) {
        await moveTo(world, event.occurredAt);
        const next = waiting[index + 1];
        const isLate = next !== undefined && random() < 0.4;
        if (isLate) {
          await moveTo(world, next.occurredAt);
          await react(process, next);
        }
        await Promise.all([react(process, event), react(process, event)]);
      }
      await moveTo(world, new Date(end.getTime() + 70 * DAY_MS));
      expect(await revenueOf(world, service.accountId)).toBe(await modelled(world, changes, end, zone));
    },
  );

  /** Returns the expected shares of all stored periods at the price of each time, without credits and charges. */
  async function modelled(world: SubscriptionWorld, changes: { time: Date; price: number }[], end: Date, zone: string): Promise<string> {
    const rows = await world.rows<{ period_start: string; period_end: string }>(
      'select distinct "period_start", "period_end" from "billing"."subscription_charge" order by 1',
    );
    const charges = rows.map((row) => ({ period_start: new Date(row.period_start), period_end: new Date(row.period_end) }));
    let total = new Decimal(0);
    for (const { period_start: start, period_end: stop } of charges) {
      const times = [start, ...changes.map(({ time }) => time).filter((time) => time > start && time < stop)];
      times.forEach((from, index) => {
        const to = new Date(Math.min((times[index + 1] ?? stop).getTime(), end.getTime()));
        if (to <= from) return;
        const price = changes.findLast(({ time }) => time <= from)?.price ?? changes[0]?.price ?? 0;
        total = total.plus(proratedShare({ price: new Decimal(price), currency: 'USD', period: { start, end: stop }, from, to, zone }));
      });
    }
    return total.toFixed();
  }

  test('an upgrade credits the old price and charges the new price with the next invoice, and a second upgrade shortens this charge', async () => {
    const { world, process, service } = await opened('2026-03-01T09:00:00Z');
    await react(process, world.event('provisioned', service, service.provisionedAt));
    await moveTo(world, '2026-03-11T00:00:00Z');
    await react(process, world.event('modified', { ...service, price: 620 }, world.clock.now()));
    expect(await revenueOf(world, service.accountId)).toBe('100');
    await moveTo(world, '2026-03-21T00:00:00Z');
    await react(process, world.event('modified', { ...service, price: 31 }, world.clock.now()));
    await moveTo(world, '2026-04-01T02:00:00Z');
    const lines = await linesOf(world);
    expect(lines.slice(1).map(({ kind, amount }) => [kind, Number(amount)])).toEqual([
      ['proration', 200],
      ['proration', 11],
      ['recurring', 31],
    ]);
    expect(await revenueOf(world, service.accountId)).toBe('342');
  });

  test('the cause of a credit note is proration after a change of the price, and cancel after the end of the service', async () => {
    const { world, process, service } = await opened('2026-03-01T09:00:00Z');
    await react(process, world.event('provisioned', service, service.provisionedAt));
    await moveTo(world, '2026-03-11T00:00:00Z');
    const changed = { ...service, price: 620 };
    await react(process, world.event('modified', changed, world.clock.now()));
    await moveTo(world, '2026-04-16T00:00:00Z');
    await react(process, world.event('decommissioned', changed, world.clock.now()));
    const events = await world.rows<{ payload: string }>(
      `select "payload" from "billing"."outbox" where "event" = 'credit.issued' order by "sequence"`,
    );
    const issued = events.map(({ payload }) => JSON.parse(payload).data.credit_note);
    expect(issued.map(({ cause, net }) => [cause, net])).toEqual([
      ['proration', 210],
      ['cancel', 310],
    ]);
    expect(await world.rows('select "cause" from "billing"."credit_note" order by "number"')).toEqual([
      { cause: 'proration' },
      { cause: 'cancel' },
    ]);
  });

  test('a longer billing cycle applies from the next period', async () => {
    const { world, process, service } = await opened('2026-01-31T09:00:00Z');
    await react(process, world.event('provisioned', service, service.provisionedAt));
    await moveTo(world, '2026-02-10T00:00:00Z');
    await react(process, world.event('modified', { ...service, cycle: 'quarterly' }, world.clock.now()));
    await moveTo(world, new Date(at('2026-05-31T00:00:00Z').getTime() + 2 * HOUR_MS));
    const starts = (await linesOf(world)).map(({ period_start, amount }) => [period_start.toISOString().slice(0, 10), Number(amount)]);
    expect(starts).toEqual([
      ['2026-01-31', 310],
      ['2026-02-28', 930],
      ['2026-05-31', 930],
    ]);
  });
});
