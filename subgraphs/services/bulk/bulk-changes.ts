import type { EntityManager } from '../../../kernel/database/database.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { ServiceChange } from '../changes/service-change.entity.ts';
import { ServiceChangeStatus } from '../changes/service-change.states.ts';
import { Service } from '../inventory/service.entity.ts';
import { BulkItemStatus } from './bulk.states.ts';
import type { BulkItem } from './bulk-item.entity.ts';

const { ACKNOWLEDGED, COMPLETED, FAILED, CANCELLED } = ServiceChangeStatus;

/** Tracks and cancels the service changes of a locked bulk. */
export class BulkChanges {
  constructor(
    private readonly tx: EntityManager,
    private readonly now: Date,
  ) {}

  /** Sets the state of each bulk item from the status of its service change. Reads the service changes without locking them. */
  async observe(items: readonly BulkItem[]): Promise<void> {
    const ids = items.flatMap(({ changeId }) => changeId ?? []);
    if (ids.length === 0) return;
    const fields = ['id', 'status', 'statusReason'] as const;
    const found = await this.tx.find(ServiceChange, { id: { $in: ids } }, { fields, disableIdentityMap: true });
    const changes = new Map(found.map((change) => [change.id, change]));
    for (const item of items) {
      const change = changes.get(item.changeId ?? '');
      if (change) followChange(item, change);
    }
  }

  /** Cancels the service changes that have not begun. */
  async cancel(items: readonly BulkItem[]): Promise<void> {
    const waiting = items.filter(({ changeId, serviceId }) => changeId && serviceId);
    await this.tx.find(
      Service,
      { id: { $in: waiting.flatMap(({ serviceId }) => serviceId ?? []) } },
      { ...LOCKED, orderBy: { id: 'asc' }, refresh: true },
    );
    const ids = waiting.flatMap(({ changeId }) => changeId ?? []);
    const found = await this.tx.find(ServiceChange, { id: { $in: ids } }, { ...LOCKED, refresh: true });
    for (const change of found) {
      if (change.status === ACKNOWLEDGED) change.moveTo(CANCELLED, this.now);
      const item = waiting.find(({ changeId }) => changeId === change.id);
      if (item) followChange(item, change);
    }
  }
}

/** Sets the state of a bulk item from the status of its service change. */
export function followChange(item: BulkItem, { status, statusReason }: Pick<ServiceChange, 'status' | 'statusReason'>): void {
  if (status === COMPLETED) item.moveTo(BulkItemStatus.COMPLETED);
  else if (status === CANCELLED) item.moveTo(BulkItemStatus.SKIPPED);
  else if (status === FAILED)
    item.moveTo(BulkItemStatus.FAILED, {
      code: 'PROVISIONING_FAILED',
      message: statusReason ?? 'The provider could not make the change.',
      details: {},
    });
  else item.moveTo(BulkItemStatus.IN_PROGRESS);
}
