import { z } from 'zod';
import type { Orm } from '../../../kernel/database/database.ts';
import type { Reaction } from '../../../kernel/events/events.ts';
import { claimOnce } from '../../../kernel/events/outbox.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import type { AuditTrail } from './audit-trail.ts';

/** The part of `catalog.changed` that identity needs. Other fields of the event are ignored. */
const changed = z.object({
  data: z.object({
    catalog_change: z.object({
      resource: z.string(),
      id: z.string(),
      action: z.string(),
      by: z.object({ type: z.string(), id: z.string() }),
    }),
  }),
});
const NAME = 'identity.catalog-changed';

/** Writes an audit record when the operator of the platform changes the catalog, coverage or a carrier. */
export const catalogChanged = ({ orm, trail }: { orm: Orm; trail: AuditTrail }): Reaction => ({
  name: NAME,
  on: 'catalog.changed',
  async handle({ id: eventId, organizationId, payload }) {
    const { resource, id, action, by } = changed.parse(JSON.parse(payload)).data.catalog_change;
    await organizationEm(orm, organizationId).transactional(async (tx) => {
      if (!(await claimOnce(tx, eventId, NAME))) return;
      const caller = by.type === 'user' ? { userId: by.id } : { clientId: by.id };
      const reason = `${resource} ${id}; by ${by.type} ${by.id}`;
      await trail.record({ eventType: `${resource}_${action}`, organizationId, ...caller, reason }, tx);
    });
  },
});
