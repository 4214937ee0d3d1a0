import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { Bulk } from './bulk.entity.ts';
import { BulkItemStatus, BulkKind, BulkStatus } from './bulk.states.ts';
import type { BulkItem } from './bulk-item.entity.ts';

const count = z.int().min(0);
const bulkPayload = z.strictObject({
  id: z.string(),
  account_id: z.string().nullable(),
  kind: z.enum(BulkKind),
  status: z.enum(BulkStatus),
  status_reason: z.string().nullable(),
  counts: z.strictObject({
    total: count,
    pending: count,
    in_progress: count,
    built: count,
    completed: count,
    failed: count,
    skipped: count,
    releasing: count,
    released: count,
  }),
  created_at: timestamp,
  updated_at: timestamp,
});
const itemPayload = z.strictObject({
  position: count,
  status: z.enum(BulkItemStatus),
  service_id: z.string().nullable(),
  change_id: z.string().nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
});

const none = { pending: 0, in_progress: 0, built: 0, completed: 0, failed: 0, skipped: 0, releasing: 0, released: 0 };
const example: z.input<typeof bulkPayload> = {
  id: 'bulk_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  kind: BulkKind.PROVISION,
  status: BulkStatus.IN_PROGRESS,
  status_reason: null,
  counts: { ...none, total: 3, in_progress: 2, completed: 1 },
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:02.000Z',
};
const family = 'service';

export const bulkProgressed = defineEvent(
  {
    name: 'bulk.progressed',
    family,
    description:
      'Items of a bulk have changed. `items` lists them. The event is sent at most four times a second for each bulk, so an item may have passed several states since the last event.',
    data: z.strictObject({ bulk: bulkPayload, items: z.array(itemPayload) }),
    example: {
      bulk: example,
      items: [
        { position: 0, status: BulkItemStatus.COMPLETED, service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G', change_id: null, error: null },
      ],
    },
  },
  (bulk: Bulk, items: readonly BulkItem[]) => ({ ...about(bulk), data: { bulk: payloadOf(bulk), items: items.map(itemOf) } }),
);

export const bulkFinished = defineEvent(
  {
    name: 'bulk.finished',
    family,
    description:
      'A bulk has ended. A bulk whose services could not be released within an hour ends as `failed`. If they are released later, the event is sent again with `rolled_back`.',
    data: z.strictObject({ bulk: bulkPayload }),
    example: { bulk: { ...example, status: BulkStatus.COMPLETED, counts: { ...none, total: 3, completed: 3 } } },
  },
  (bulk: Bulk) => ({ ...about(bulk), data: { bulk: payloadOf(bulk) } }),
);

export const bulkEvents = [bulkProgressed.type, bulkFinished.type];

const about = ({ organizationId, updatedAt, id, accountId }: Bulk) => ({
  organizationId,
  occurredAt: updatedAt,
  subject: { type: 'Bulk', id },
  accountId,
});

function payloadOf(bulk: Bulk): z.infer<typeof bulkPayload> {
  const { inProgress: in_progress, ...counts } = bulk.counts;
  return {
    id: bulk.id,
    account_id: bulk.accountId,
    kind: bulk.kind,
    status: bulk.status,
    status_reason: bulk.statusReason,
    counts: { ...counts, in_progress },
    created_at: bulk.createdAt.toISOString(),
    updated_at: bulk.updatedAt.toISOString(),
  };
}

const itemOf = ({ position, status, serviceId, changeId, error }: BulkItem): z.infer<typeof itemPayload> => ({
  position,
  status,
  service_id: serviceId,
  change_id: changeId,
  error: error && { code: error.code, message: error.message },
});
