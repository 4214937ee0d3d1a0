import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { DeliveryStatus } from '../deliveries/delivery.entity.ts';
import {
  insertDeliveries,
  OVER_QUOTA,
  type Planned,
  plannedDelivery,
  SUBSCRIBER_COLUMNS,
  type Subscriber,
  schemaOf,
} from '../deliveries/delivery-plan.ts';
import type { EventTypes } from '../event-types/event-types.ts';
import type { EventRecord } from '../log/event.entity.ts';
import type { EventLog } from '../log/event-log.ts';
import { EventSelection } from '../log/event-selection.ts';
import type { DeliveryQuota, Limits } from '../quota/delivery-quota.ts';
import { dueNow } from '../webhooks/webhook-due.ts';
import { wants } from '../webhooks/webhook-matching.ts';

const QUEUE = 'webhook-replay';
/** Number of events that one transaction processes. */
const BATCH = 200;
const RETRY = { retryLimit: 1000, retryDelaySeconds: 1, retryDelayMaxSeconds: 300 };

/** A replay, or the rest of a replay after the position `after` in the log. */
export interface Replay {
  webhookId: string;
  organizationId: string;
  names: readonly string[];
  status: readonly DeliveryStatus[];
  since: Date;
  until: Date;
  startedAt: Date;
  /** Range of sequences: `after` is exclusive, `upTo` inclusive. */
  after: number;
  upTo: number;
}

/** Job payload as stored in the queue. Times are ISO 8601 texts. */
type ReplayJob = Omit<Replay, 'since' | 'until' | 'startedAt'> & Record<'since' | 'until' | 'startedAt', string>;

/** The columns of an existing delivery that a replay checks. */
interface Known {
  id: string;
  event_id: string;
  status: DeliveryStatus;
  attempted_at: Date | string | null;
}

export interface ReplayWorkerDeps {
  orm: Orm;
  eventTypes: EventTypes;
  eventLog: EventLog;
  quota: DeliveryQuota;
  jobs: Jobs;
  clock: Clock;
  wake(webhookId: string): void;
}

/**
 * Runs replays in batches. The transaction of each batch enqueues a job for the next batch, so that a replay continues
 * after a crash. A batch can be repeated safely, because it skips deliveries that are pending or were attempted after
 * the replay began.
 */
export class ReplayWorker {
  constructor(private readonly deps: ReplayWorkerDeps) {
    deps.jobs.define<ReplayJob>(QUEUE, (job) => this.#run(replayOf(job)), RETRY);
  }

  async enqueue(tx: EntityManager, replay: Replay): Promise<void> {
    await this.deps.jobs.enqueue(tx, QUEUE, replay);
  }

  async #run(replay: Replay): Promise<void> {
    const { orm, eventLog, quota, wake } = this.deps;
    const { organizationId, names, after, upTo } = replay;
    const events = await eventLog.range(new EventSelection({ organizationId, accounts: null }, new Set(names)), {
      after,
      upTo,
      limit: BATCH,
    });
    const limits = await quota.limitsOf([organizationId]);
    if (await orm.em.fork().transactional((tx) => this.#batch(tx, replay, events, limits))) wake(replay.webhookId);
  }

  /**
   * Plans the deliveries of a batch. Returns whether any delivery was planned. Ends the replay if the webhook was
   * deactivated or deleted.
   */
  async #batch(tx: EntityManager, replay: Replay, events: readonly EventRecord[], limits: Limits): Promise<boolean> {
    const [webhook] = await tx.execute<Subscriber[]>(
      `select ${SUBSCRIBER_COLUMNS} from ${schemaOf(tx)}."webhook" where "id" = ? and "organization_id" = ? and "active" for key share`,
      [replay.webhookId, replay.organizationId],
    );
    if (!webhook) return false;
    const { eventTypes } = this.deps;
    const inTime = events.filter((event) => event.recordedAt >= replay.since && event.recordedAt < replay.until);
    const wanted = inTime.filter((event) => wants(webhook, event, eventTypes.find(event.event)));
    const isPlanned = wanted.length > 0 && (await this.#plan(tx, replay, webhook, wanted, limits));
    const last = events.at(-1);
    if (last && events.length === BATCH) await this.enqueue(tx, { ...replay, after: last.sequence });
    return isPlanned;
  }

  async #plan(tx: EntityManager, replay: Replay, webhook: Subscriber, wanted: readonly EventRecord[], limits: Limits): Promise<boolean> {
    const { quota, clock } = this.deps;
    const now = clock.now();
    const { organizationId, status } = replay;
    // locks the quota first: once it is locked, all deliveries that other transactions planned for the organization are
    // committed and visible
    const allowance = await quota.open(tx, limits, now);
    await dueNow(tx, [webhook.id]);
    const known = await knownDeliveries(tx, webhook, wanted);
    const [made, again]: [Planned[], string[]] = [[], []];
    for (const event of wanted) {
      const delivery = known.get(event.id);
      if (delivery && isReplayed(delivery, replay) && allowance.take(organizationId)) again.push(delivery.id);
      if (!delivery && status.includes(DeliveryStatus.SKIPPED))
        made.push(plannedDelivery(event, webhook, allowance.take(organizationId) ? null : OVER_QUOTA));
    }
    await insertDeliveries(tx, made, now);
    await resetDeliveries(tx, again, now);
    await quota.close(tx, allowance);
    return allowance.taken.size > 0;
  }
}

const isReplayed = ({ status, attempted_at }: Known, replay: Replay): boolean =>
  replay.status.includes(status) && (attempted_at === null || new Date(attempted_at) < replay.startedAt);

async function knownDeliveries(tx: EntityManager, { id }: Subscriber, events: readonly EventRecord[]): Promise<Map<string, Known>> {
  const rows = await tx.execute<Known[]>(
    `select "id", "event_id", "status", "attempted_at" from ${schemaOf(tx)}."delivery"
     where "webhook_id" = ? and "event_id" in (select json_array_elements_text(?::json)) for update`,
    [id, JSON.stringify(events.map((event) => event.id))],
  );
  return new Map(rows.map((row) => [row.event_id, row]));
}

/** Resets deliveries, so that they are pending with 0 attempts, like newly planned deliveries. */
async function resetDeliveries(tx: EntityManager, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(
    `update ${schemaOf(tx)}."delivery" set "status" = 'pending', "attempt" = 0, "next_attempt_at" = ?, "attempted_at" = null,
       "response_status" = null, "response_body" = null, "duration_ms" = null, "error" = null
     where "id" in (select json_array_elements_text(?::json))`,
    [now, JSON.stringify(ids)],
  );
}

const replayOf = ({ since, until, startedAt, ...rest }: ReplayJob): Replay => ({
  ...rest,
  since: new Date(since),
  until: new Date(until),
  startedAt: new Date(startedAt),
});
