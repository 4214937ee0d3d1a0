import { expect, test } from 'vitest';
import { type Rig, start } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';
import { eventsOf, eventsWhen, HOUR_MS, MINUTE_MS } from '../support/sla.setup.ts';
import { changeTicket as change, openTicket as open } from '../ticket.setup.ts';

const TICKETS = 12;

/** Runs only on PostgreSQL, because the embedded database supports only one process. */
test.skipIf(!process.env.TEST_DATABASE_URL)(
  'two processes report each SLA breach once, and one process continues when the other process has stopped',
  async () => {
    const database = { DATABASE_URL: await ownDatabase() };
    const one: Rig = await start(database);
    const two: Rig = await start(database);
    try {
      const tenant = await two.organization({ plan: 'custom' });
      const tickets = await Promise.all(Array.from({ length: TICKETS }, () => open(tenant, { priority: 'critical' })));
      await two.advance(16 * MINUTE_MS);
      for (const { id } of tickets) await eventsWhen(tenant, id, 1, 'sla.breach');
      await one.close();
      await two.advance(4 * HOUR_MS);
      for (const { id } of tickets) {
        const breached = await eventsWhen(tenant, id, 2, 'sla.breach');
        expect(breached.map(({ data }) => data.sla.breached)).toEqual(['response_time', 'resolution_time']);
        // the resolution is the last event of the ticket, so no further breach can follow
        await change(tenant, id, { status: 'resolved' });
        await eventsWhen(tenant, id, 1, 'ticket.resolved');
        expect(await eventsOf(tenant, id, 'sla.breach')).toHaveLength(2);
        expect(await eventsOf(tenant, id, 'ticket.escalated')).not.toHaveLength(0);
      }
    } finally {
      await two.close();
    }
  },
);
