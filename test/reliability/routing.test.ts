import { describe, expect, test } from 'vitest';
import { eventually } from '../rig.ts';
import type { Json } from '../tenant.ts';
import { type SupportProcess, SupportWorld } from './support-world.ts';

const MINUTE_MS = 60_000;
const RULE = 'mutation ($actions: RoutingActionsInput!) { createRoutingRule(input: { ruleName: "R", actions: $actions }) { id } }';
const TICKET = `mutation ($email: String!) {
  createTicket(input: { title: "Down", description: "Since 9:30", contact: { name: "Ada", email: $email } }) { id }
}`;
const LEVELS = 'select escalation_level as level, count(*)::int as tickets from support.ticket group by 1';
const IDLE = 'select 1 from support.ticket_automation where due_at <= ';

const open = async (process: SupportProcess, emails: readonly string[]): Promise<void> => {
  for (const email of emails) await process.graphql(TICKET, { email });
};
const addresses = (count: number): string[] => Array.from({ length: count }, (_, index) => `ada${index}@example.com`);

describe('routing rules in two processes', () => {
  test('two processes run each timed action of a routing rule once and send each email once', async () => {
    const world = await SupportWorld.open();
    const [one, two] = [await world.start(), await world.start()];
    await one.graphql(RULE, { actions: { escalateAfter: '30_minutes', autoUpdateFrequency: '20_minutes' } });
    const emails = addresses(12);
    await Promise.all([open(one, emails.slice(0, 6)), open(two, emails.slice(6))]);
    const received = () => emails.map((email) => world.mails.filter(({ to }) => to === email).length);

    world.clock.advance(31 * MINUTE_MS);
    await eventually(async () => (await world.query(`${IDLE}'${world.clock.now().toISOString()}'`)).length === 0);
    await eventually(() => received().every((count) => count > 0));
    expect(await world.query<Json>(LEVELS)).toEqual([{ level: 1, tickets: 12 }]);
    expect(received()).toEqual(emails.map(() => 1));

    world.clock.advance(20 * MINUTE_MS);
    await eventually(() => received().every((count) => count > 1));
    expect(received()).toEqual(emails.map(() => 2));
    expect(await world.query<Json>(LEVELS)).toEqual([{ level: 1, tickets: 12 }]);
  });

  test('timed escalations and concurrent ticket updates in two processes do not block each other', async () => {
    const world = await SupportWorld.open();
    const [one, two] = [await world.start(), await world.start()];
    await one.graphql(RULE, { actions: { escalateAfter: '30_minutes' } });
    await open(one, addresses(8));
    const ids = (await world.query<{ id: string }>('select id from support.ticket')).map(({ id }) => id);
    world.clock.advance(31 * MINUTE_MS);
    const resolve = 'mutation ($id: ID!) { updateTicket(id: $id, input: { status: RESOLVED }) { status } }';
    const reopen = 'mutation ($id: ID!) { updateTicket(id: $id, input: { status: OPEN }) { status } }';
    await Promise.all(
      ids.map(async (id, index) => {
        const process = index % 2 ? one : two;
        await process.graphql(resolve, { id });
        await process.graphql(reopen, { id });
      }),
    );
    world.clock.advance(31 * MINUTE_MS);
    await eventually(async () => (await world.query(`${IDLE}'${world.clock.now().toISOString()}'`)).length === 0);
    const levels = await world.query<{ level: number }>(LEVELS);
    // each ticket was escalated before it was resolved or not at all, and once after it was reopened
    expect(levels.every(({ level }) => level === 1 || level === 2)).toBe(true);
  });
});

test('an email that was sent before a crash but not recorded as sent is sent again with the same Message-ID', async () => {
  const world = await SupportWorld.open();
  const one = await world.start();
  await one.graphql(RULE, { actions: { notify: ['noc@example.com'] } });
  await one.graphql(TICKET, { email: 'ada@example.com' });
  await eventually(() => world.mails.length === 1);
  await eventually(async () => (await world.query("select 1 from support.notification_recipient where status = 'sent'")).length === 1);
  await one.stop();
  // simulates a crash between sending the email and recording it as sent
  await world.query("update support.notification_recipient set status = 'queued', sent_at = null");
  await world.query("update pgboss.job set state = 'retry', completed_on = null, start_after = now() where name = 'support.notify'");
  await world.start();
  await eventually(() => world.mails.length === 2);
  expect(new Set(world.mails.map(({ messageId }) => messageId)).size).toBe(1);
  const rows = await eventually(async () => {
    const found = await world.query<Json>('select status, attempts from support.notification_recipient');
    return found[0]?.status === 'sent' && found;
  });
  expect(rows).toEqual([{ status: 'sent', attempts: 2 }]);
});

test('a failing timed action is postponed and retried, and does not delay the timed actions of other tickets', async () => {
  const world = await SupportWorld.open();
  const process = await world.start();
  await process.graphql(RULE, { actions: { escalateAfter: '30_minutes' } });
  await open(process, addresses(3));
  await world.query("update support.ticket_automation set interval = 'never' where ticket_id = (select min(id) from support.ticket)");
  await world.query(`create function support.refuse() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$`);
  await world.query(
    `create trigger refuse before update on support.ticket for each row
     when (new.escalation_reason like '%never%') execute function support.refuse()`,
  );
  world.clock.advance(31 * MINUTE_MS);
  await eventually(async () => {
    const levels = await world.query<{ level: number; tickets: number }>(LEVELS);
    return levels.find(({ level }) => level === 1)?.tickets === 2;
  });
  await eventually(async () => {
    const [left] = await world.query<{ due_at: Date | string }>('select due_at from support.ticket_automation where due_at is not null');
    return left && new Date(left.due_at) > world.clock.now();
  });
  await world.query('drop trigger refuse on support.ticket');
  world.clock.advance(2 * MINUTE_MS);
  await eventually(
    async () => (await world.query<{ level: number; tickets: number }>(LEVELS)).find(({ level }) => level === 1)?.tickets === 3,
  );
});
