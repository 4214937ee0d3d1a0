import { beforeAll, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import type { Tenant } from '../tenant.ts';
import { changeTicket, openTicket } from '../ticket.setup.ts';
import { makeRule } from './routing.setup.ts';

const attachments = ['a', 'b'].map((name) => ({ filename: `${name}.txt`, content_type: 'text/plain', data: btoa(name) }));

let platform: Rig;
let tenant: Tenant;
/** The id of a ticket with attachments and a pending escalation by a routing rule. */
let id: string;
const read = (path: string) => tenant.rest('GET', `/support/tickets${path}`);

beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
  await makeRule(tenant, { actions: { escalate_after: '30_minutes' } });
  // the first ticket creates the desks; the reads cache the API key and the query plans
  ({ id } = await openTicket(tenant, { attachments }));
  await changeTicket(tenant, id, { priority: 'high' });
  for (const path of [`/${id}`, `/${id}/sla`, '']) await read(path);
});

/**
 * Captures the verb and the table of a statement on the support tables. Ignores the outbox, and the tables of
 * integrations, because integrations process the events of a ticket after the operation.
 */
const TABLE = /^(\w+).*?"support"\."(?!outbox|\w+_integration)(\w+)"/s;
async function statements(act: () => Promise<unknown>): Promise<string[]> {
  const seen = await platform.clock.standingStill(() => platform.statements(act));
  return seen.flatMap((sql) => {
    const [, verb, table] = TABLE.exec(sql) ?? [];
    return table ? [`${verb} ${table}`] : [];
  });
}

test('opening a ticket runs no SELECT, and only INSERTs follow the statement that increments the ticket number', async () => {
  const executed = await statements(() => openTicket(tenant, { attachments }));
  const at = executed.indexOf('insert ticket_counter');
  expect(executed.slice(0, at)).toEqual(['insert attachment_upload', 'delete attachment_upload']);
  expect(executed.slice(at + 1).toSorted()).toEqual([
    'insert attachment',
    'insert ticket',
    'insert ticket_automation',
    'insert ticket_change',
  ]);
});

/** The round trips of an operation to the database. Each string names the statements that were sent in one round trip. */
async function roundTrips(act: () => Promise<unknown>): Promise<string[]> {
  const seen = await platform.clock.standingStill(() => platform.roundTrips(act));
  return seen.map((batch) =>
    batch.map((sql) => /^\s*(?:insert into|update) [\w".]*?(\w+)"? /.exec(sql)?.[1] ?? sql.split(/\W/, 1)[0]).join(' '),
  );
}

test.runIf(process.env.TEST_DATABASE_URL)('opening a ticket with an Idempotency-Key takes four round trips to the database', async () => {
  const other = await platform.organization();
  const open = (key: string) =>
    other.rest('POST', '/support/tickets', { body: { title: 'Slow', description: 'Since noon' }, headers: { 'idempotency-key': key } });
  await open('the first opens the desks');
  const [claim, number, rows, ...rest] = await roundTrips(() => open('the second'));
  expect([claim, number, ...rest]).toEqual(['idempotency_key', 'begin ticket_counter', 'idempotency_key']);
  expect(rows).toMatch(/^outbox (ticket ticket_change|ticket_change ticket) commit$/);
});

test('reading a ticket with its agent runs one SQL statement, and one more statement if the ticket has attachments', async () => {
  const { id: plain } = await openTicket(tenant);
  expect(await statements(() => read(`/${plain}`))).toEqual(['select ticket']);
  expect(await statements(() => read(`/${id}`))).toEqual(['select ticket', 'select attachment']);
});

test('pending actions of routing rules are read from the database only if the SLA of a ticket is requested', async () => {
  expect(await statements(() => read(`/${id}/sla`))).toEqual(['select ticket', 'select ticket_automation']);
});

test('a ticket list of any length runs at most two SQL statements on the ticket table', async () => {
  for (let count = 0; count < 5; count += 1) await openTicket(tenant);
  expect(await statements(() => read('?status=open'))).toEqual(['select ticket', 'select ticket']);
  expect(await statements(() => read('?page=2&limit=2'))).toEqual(['select ticket', 'select ticket_tally', 'select ticket']);
  expect(await statements(() => read(''))).toEqual(['select ticket']);
  expect(await statements(() => read('?limit=2'))).toEqual(['select ticket', 'select ticket_tally']);
});
