import { expect, onTestFinished, test } from 'vitest';
import { start } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';
import { Tenant } from '../tenant.ts';

test.runIf(process.env.TEST_DATABASE_URL)(
  'of four concurrent updates with the same ETag in two processes, one returns 200 and three return 409',
  async () => {
    const DATABASE_URL = await ownDatabase();
    const first = await start({ DATABASE_URL });
    onTestFinished(() => first.close());
    const second = await start({ DATABASE_URL });
    onTestFinished(() => second.close());
    const here = await first.organization({ plan: 'custom' });
    const there = new Tenant(second.origin, here.organizationId, here.apiKey);
    const { body } = await here.rest('POST', '/support/tickets', { body: { title: 'Shared', description: 'By two' } });
    const path = `/support/tickets/${body.ticket.id}`;
    for (let round = 0; round < 5; round += 1) {
      const tag = (await here.rest('GET', path)).headers.get('etag') ?? '';
      const changes = [here, there, here, there].map((tenant, index) =>
        tenant.rest('PUT', path, {
          body: { priority: ['low', 'medium', 'high', 'critical'][(round + index) % 4] },
          headers: { 'if-match': tag },
        }),
      );
      const statuses = (await Promise.all(changes)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 409, 409, 409]);
      expect((await here.rest('GET', path)).body.ticket.priority).toBe((await there.rest('GET', path)).body.ticket.priority);
    }
  },
);
