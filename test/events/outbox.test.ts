import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Attached } from '../../kernel/database/database.ts';
import { outboxTables, outboxTracing, record } from '../../kernel/events/outbox.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { migration } from '../../kernel/migrations/migration.ts';
import { newId } from '../../kernel/records/ids.ts';
import { ticketCreated } from '../../subgraphs/support/tickets/ticket.events.ts';
import { emptyDatabase } from '../support/empty-database.ts';

const SCHEMA = 'outbox_test';

let opened: Awaited<ReturnType<typeof emptyDatabase>>;
let store: Attached;
beforeAll(async () => {
  opened = await emptyDatabase(createLogger({ level: 'silent' }));
  store = await opened.database.attach({
    schema: SCHEMA,
    entities: [],
    migrations: [migration('0001', [...outboxTables(SCHEMA), outboxTracing(SCHEMA)])],
  });
});
afterAll(() => opened.drop());

/** Records an event in a new transaction and then runs `end` in this transaction. */
const recorded = (subject: string, end: () => void): Promise<void> =>
  store.orm.em.fork().transactional(async (tx) => {
    const { type } = ticketCreated;
    const organizationId = newId('organization');
    await record(tx, { type, organizationId, occurredAt: new Date(), subject: { type: 'Ticket', id: subject }, data: type.example });
    end();
  });

test('an event is stored in the outbox only if the transaction that recorded it commits', async () => {
  const failing = recorded('of one that fails', () => {
    throw new Error('It fails at its end.');
  });
  await expect(failing).rejects.toThrow('at its end');
  await recorded('of one that commits', () => undefined);
  const left = await store.rows.query(`select "subject_id" from "${SCHEMA}"."outbox"`, []);
  expect(left).toEqual([{ subject_id: 'of one that commits' }]);
});
