import { z } from 'zod';
import type { Principal } from '../../../kernel/access/principal.ts';
import { defineEvent } from '../../../kernel/events/events.ts';

const RESOURCES = ['catalog_category', 'catalog_service', 'term_discounts', 'coverage_area', 'carrier'] as const;
const ACTIONS = ['created', 'updated', 'retired', 'restored', 'deleted'] as const;

/** A change that an operator made to the catalog, to coverage or to the carriers. */
export interface CatalogChange {
  resource: (typeof RESOURCES)[number];
  id: string;
  action: (typeof ACTIONS)[number];
}

/**
 * Reports a change by the operator of the platform. Only callers of the operator's organization can receive it. The
 * identity domain records it in the audit trail.
 */
export const catalogChanged = defineEvent(
  {
    name: 'catalog.changed',
    family: 'service',
    requires: 'platform:read',
    description: 'The operator of the platform changed the catalog, coverage or a carrier.',
    data: z.strictObject({
      catalog_change: z.strictObject({
        resource: z.enum(RESOURCES),
        id: z.string().describe('Identifier of the record, such as `business_fiber`.'),
        action: z.enum(ACTIONS),
        by: z.strictObject({ type: z.string().describe('Kind of caller, such as `user` or `api_key`.'), id: z.string() }),
      }),
    }),
    example: {
      catalog_change: {
        resource: 'catalog_service',
        id: 'business_fiber',
        action: 'updated',
        by: { type: 'user', id: 'user_01JQ8Z6V4T9M3N2B1C0D9E8F7G' },
      },
    },
  },
  ({ resource, id, action }: CatalogChange, { organizationId, kind: type, id: by }: Principal, occurredAt: Date) => ({
    organizationId,
    occurredAt,
    subject: { type: 'CatalogChange', id },
    data: { catalog_change: { resource, id, action, by: { type, id: by } } },
  }),
);

export const catalogEvents = [catalogChanged.type];
