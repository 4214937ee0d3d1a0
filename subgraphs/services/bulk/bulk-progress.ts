import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Bulk } from './bulk.entity.ts';
import { bulkFinished, bulkProgressed } from './bulk.events.ts';
import { BulkItemStatus, BulkKind, BulkStatus, isFinal } from './bulk.states.ts';
import { countsOf } from './bulk.values.ts';
import { BulkChanges } from './bulk-changes.ts';
import { BulkItem } from './bulk-item.entity.ts';
import { BulkServices } from './bulk-services.ts';

const { PENDING, IN_PROGRESS, BUILT, COMPLETED, FAILED, SKIPPED, RELEASING } = BulkItemStatus;

/** Maximum time between two updates of a bulk, even if no change of its services is reported. */
const CHECK_MS = 60_000;
/** Time limit of a rollback. If it is exceeded, the rollback has failed, but the services are still released later. */
const ROLLBACK_MS = 60 * 60 * 1000;
/** Minimum time between two events `bulk.progressed` of a bulk. */
const REPORT_MS = 250;

export interface BulkProgressDeps {
  jobs: Jobs;
  clock: Clock;
}

/**
 * Decides the next steps of a bulk. It can run any number of times, because the rows of the bulk, its items and their services contain the
 * complete state.
 */
export class BulkProgress {
  constructor(private readonly deps: BulkProgressDeps) {}

  /** Updates a locked bulk from the state of its services or service changes, and takes the next steps. */
  async advance(tx: EntityManager, bulk: Bulk): Promise<void> {
    const items = await itemsOf(tx, bulk);
    const open = items.filter((item) => !isFinal(item));
    const now = this.deps.clock.now();
    if (bulk.kind === BulkKind.MODIFY) await new BulkChanges(tx, now).observe(open);
    else {
      const services = new BulkServices(tx, this.deps.jobs, now);
      await services.observe(open);
      await proceed(bulk, items, services, now);
    }
    await this.settle(tx, bulk, items);
  }

  /**
   * Cancels a locked bulk. A bulk with `rollbackOnFailure` is rolled back. In any other bulk, items that have not begun are skipped, and
   * items that have begun continue.
   * @throws InvalidState if the bulk has ended, is being rolled back, or was cancelled before
   */
  async cancel(tx: EntityManager, bulk: Bulk): Promise<void> {
    const now = this.deps.clock.now();
    if (bulk.rollbackOnFailure) bulk.moveTo(BulkStatus.ROLLING_BACK, now, 'Cancelled by a caller.');
    else bulk.cancel(now);
    if (bulk.kind === BulkKind.MODIFY) {
      const items = await itemsOf(tx, bulk);
      await new BulkChanges(tx, now).cancel(items.filter((item) => !isFinal(item)));
      await this.settle(tx, bulk, items);
    } else await this.advance(tx, bulk);
  }

  /** Counts the items, ends the bulk if all items have ended, and records the events. */
  async settle(tx: EntityManager, bulk: Bulk, items: readonly BulkItem[]): Promise<void> {
    const now = this.deps.clock.now();
    const moved = items.filter(({ reported }) => !reported);
    if (moved.length > 0) {
      bulk.counts = countsOf(items);
      bulk.updatedAt = now;
    }
    const hasEnded = conclude(bulk, items, now);
    const isQuiet = bulk.reportedAt !== null && now.getTime() - bulk.reportedAt.getTime() < REPORT_MS;
    if (moved.length > 0 && (hasEnded || !isQuiet)) {
      bulk.reportedAt = now;
      await record(tx, bulkProgressed(bulk, moved));
      for (const item of moved) item.reported = true;
    }
    if (hasEnded) await record(tx, bulkFinished(bulk));
    const isWaiting = moved.some(({ reported }) => !reported);
    bulk.dueAt = items.every(isFinal) ? null : new Date(now.getTime() + (isWaiting ? REPORT_MS : CHECK_MS));
  }
}

const itemsOf = (tx: EntityManager, { id }: Bulk): Promise<BulkItem[]> =>
  tx.find(BulkItem, { bulkId: id }, { orderBy: { position: 'asc' } });

/** Takes the next steps of a bulk that orders services. */
async function proceed(bulk: Bulk, items: readonly BulkItem[], services: BulkServices, now: Date): Promise<void> {
  if (bulk.status === BulkStatus.IN_PROGRESS && bulk.rollbackOnFailure) {
    if (items.every(({ status }) => status === BUILT) && (await services.activate(items))) return;
    const failed = items.find(({ status }) => status === FAILED);
    if (failed) bulk.moveTo(BulkStatus.ROLLING_BACK, now, `Item ${failed.position} failed: ${failed.error?.message}`);
  }
  if (bulk.isRollingBack) {
    const open = items.filter((item) => !isFinal(item) && item.status !== RELEASING);
    if (open.length > 0) await services.release(open, `Rolled back with ${bulk.id}.`);
  } else if (bulk.cancelledAt) {
    await services.skip(withStatus(items, PENDING), `Cancelled with ${bulk.id}.`);
  } else if (!bulk.parallel) await nextInOrder(bulk, items, services);
}

/** Starts the next item of a bulk if no item is in progress. If an item has failed, skips the items after it. */
async function nextInOrder(bulk: Bulk, items: readonly BulkItem[], services: BulkServices): Promise<void> {
  const stop = items.find(({ status }) => status === FAILED || status === SKIPPED);
  const later = stop ? withStatus(items, PENDING).filter(({ position }) => position > stop.position) : [];
  if (later.length > 0) await services.skip(later, `Not built, because item ${stop?.position} of ${bulk.id} failed.`);
  const [next] = withStatus(items, PENDING);
  if (next && withStatus(items, IN_PROGRESS).length === 0) await services.begin(next);
}

const withStatus = (items: readonly BulkItem[], wanted: BulkItemStatus): BulkItem[] => items.filter(({ status }) => status === wanted);

/** Ends the bulk if all items have ended, or if its rollback takes too long. Returns true if this call has ended the bulk. */
function conclude(bulk: Bulk, items: readonly BulkItem[], now: Date): boolean {
  const { isRollingBack, rollingBackAt, status } = bulk;
  if (!items.every(isFinal)) {
    const isLate = rollingBackAt !== null && now.getTime() - rollingBackAt.getTime() >= ROLLBACK_MS;
    if (status !== BulkStatus.ROLLING_BACK || !isLate) return false;
    bulk.moveTo(BulkStatus.FAILED, now, 'Some services could not be released within an hour. They are released later.');
    return true;
  }
  if (isRollingBack) bulk.moveTo(BulkStatus.ROLLED_BACK, now);
  else if (status !== BulkStatus.IN_PROGRESS) return false;
  else if (bulk.cancelledAt) bulk.moveTo(BulkStatus.CANCELLED, now);
  else bulk.moveTo(outcomeOf(items), now);
  return true;
}

function outcomeOf(items: readonly BulkItem[]): BulkStatus {
  const { length } = withStatus(items, COMPLETED);
  if (length === items.length) return BulkStatus.COMPLETED;
  return length === 0 ? BulkStatus.FAILED : BulkStatus.PARTIAL;
}
