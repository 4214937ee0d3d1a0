import '../../dist/apps/production.js';
import { Secrets } from '../../dist/kernel/access/secrets.js';
import { TestClock } from '../../dist/kernel/clock.js';
import { Database } from '../../dist/kernel/database/database.js';
import { record } from '../../dist/kernel/events/outbox.js';
import { Relay } from '../../dist/kernel/events/relay.js';
import { Graph } from '../../dist/kernel/graph.js';
import { Jobs } from '../../dist/kernel/jobs/jobs.js';
import { createLogger } from '../../dist/kernel/log/log.js';
import { newId } from '../../dist/kernel/records/ids.js';
import { events } from '../../dist/subgraphs/events/subgraph.js';
import { Webhook } from '../../dist/subgraphs/events/webhooks/webhook.entity.js';
import { ticketCreated, ticketEvents } from '../../dist/subgraphs/support/tickets/ticket.events.js';

/**
 * Runs the events domain with its relay in a separate process, which tests can kill. It delivers webhooks as a platform does,
 * but starts faster. `target` is the database, and its clock is `clockMs` ahead. The test controls it with messages.
 */
const { target, clockMs = 0 } = JSON.parse(process.argv[2]);
const SECRET_KEY = 'a secret for tests that is long enough';
const ORGANIZATION = 'org_test';
const { type } = ticketCreated;

const log = createLogger({ level: 'silent' });
const clock = new TestClock();
clock.advance(clockMs);
const database = await Database.open(target, log);
const attached = await database.attach({ ...events, schema: 'events' });
const jobs = new Jobs(database, log);
const running = events.start({
  ...attached,
  database,
  jobs,
  clock,
  graph: new Graph(),
  log,
  origin: 'http://127.0.0.1',
  declaredTypes: [...ticketEvents, ...events.events],
  reactions: [],
  logConsumers: [],
  live: [],
  retentionDays: 30,
  secrets: new Secrets([SECRET_KEY]),
  allowPrivateUrls: true,
});
await jobs.start();
await running.start();
const relay = new Relay([{ schema: 'events', database, orm: attached.orm }], running, log);
await relay.start();

const commands = {
  async subscribe({ urls }) {
    const now = clock.now();
    const webhooks = urls.map((url) => {
      const id = newId('webhook');
      const sealedSecret = new Secrets([SECRET_KEY]).box('events.webhook-secret').seal('a secret of the receiver', id);
      return Object.assign(new Webhook(), {
        id,
        organizationId: ORGANIZATION,
        url,
        events: ['ticket.*'],
        sealedSecret,
        createdAt: now,
        updatedAt: now,
      });
    });
    await attached.orm.em.fork().persist(webhooks).flush();
  },
  /** Records events in one transaction. The ticket number of each event is its position. */
  async record({ from, count }) {
    await attached.orm.em.fork().transactional(async (tx) => {
      for (let index = from; index < from + count; index += 1) {
        const data = { ticket: { ...type.example.ticket, number: String(index) } };
        const subject = { type: 'Ticket', id: 'ticket_test' };
        await record(tx, { type, organizationId: ORGANIZATION, occurredAt: clock.now(), subject, data });
      }
    });
  },
};
process.on('message', async (command) => {
  try {
    await commands[command.name](command);
    process.send('done');
  } catch (error) {
    process.send(String(error));
  }
});
process.on('disconnect', () => process.exit());
process.send('ready');
