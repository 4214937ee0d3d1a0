import type { Orm, Rows } from '../../../kernel/database/database.ts';
import { PREPARED } from '../../../kernel/database/statements.ts';
import type { Delivery } from '../deliveries/delivery.entity.ts';
import type { EventLog, EventPayload } from '../log/event-log.ts';
import { AT_ONCE } from '../webhooks/webhook-due.ts';
import type { SealedSecrets } from '../webhooks/webhook-secret.ts';

/** Lease of a webhook: the right of one process to deliver to it until a point in time. */
export interface WebhookLease extends SealedSecrets {
  webhookId: string;
  organizationId: string;
  url: string;
  updatedAt: Date;
  failingSince: Date | null;
  until: Date;
}

type DueDelivery = Pick<Delivery, 'id' | 'organizationId' | 'webhookId' | 'eventId' | 'event' | 'occurredAt' | 'attempt'>;

/** A due delivery with the payload of its event. The payload is null if the event is no longer in the log. */
export type Due = DueDelivery & { [K in keyof EventPayload]: EventPayload[K] | null };

export interface DueDeliveries {
  /** Deliveries that were not attempted yet, in the order of their events in the log. */
  firsts: Due[];
  retries: Due[];
}

const SWEPT = 500;

/**
 * Reads due deliveries and manages the leases of webhooks. `due_at` of a webhook is the time when its next delivery is
 * due, and `lane_until` is the end of its lease. Acquiring the lease clears `due_at`. A delivery that becomes due
 * during the lease sets `due_at` again. The statements have no organization filter, because they do background work for
 * all organizations, and no caller chooses the ids. A webhook has only deliveries of events of its own organization.
 * Callers read deliveries through DeliveryService, which has the filter. The platform's clock states the current time,
 * so that tests can set it.
 */
export class DeliveryStore {
  readonly #schema: string;

  constructor(
    orm: Orm,
    private readonly rows: Rows,
    private readonly eventLog: Pick<EventLog, 'payloads'>,
  ) {
    this.#schema = `"${orm.em.config.getAll().schema}"`;
  }

  /**
   * Acquires the lease of a webhook. Returns undefined if nothing is due, another process has the lease, or the webhook
   * is inactive or deleted.
   */
  async acquire(webhookId: string, now: Date, until: Date): Promise<WebhookLease | undefined> {
    const [row] = await this.rows.query<ClaimedRow>(
      `update ${this.#schema}."webhook" set "lane_until" = $3, "due_at" = null
       where "id" = $1 and ${isWaiting('$2', '$4')} returning "organization_id", "url", "sealed_secret", "previous_sealed_secret",
         "previous_secret_until", "updated_at", "failing_since"`,
      [webhookId, now, until, implausible(now, until)],
      PREPARED,
    );
    return (
      row && {
        webhookId,
        organizationId: row.organization_id,
        url: row.url,
        sealedSecret: row.sealed_secret,
        previousSealedSecret: row.previous_sealed_secret,
        previousSecretUntil: instantOf(row.previous_secret_until),
        updatedAt: new Date(row.updated_at),
        failingSince: instantOf(row.failing_since),
        until,
      }
    );
  }

  /** Extends the lease. Returns false if this process no longer has the lease. */
  async extend({ webhookId, until }: WebhookLease, later: Date): Promise<boolean> {
    const rows = await this.rows.query(
      `update ${this.#schema}."webhook" set "lane_until" = $3 where "id" = $1 and "lane_until" = $2 returning "id"`,
      [webhookId, until, later],
    );
    return rows.length > 0;
  }

  /**
   * Releases the lease and sets `due_at` to the next due time. If a delivery became due during the lease and `later` is
   * given, extends the lease until `later` instead, and returns `isKept: true`. The caller must then read due
   * deliveries again. No due delivery is missed, because each transaction that makes deliveries due also updates
   * `due_at` of the webhook. If such a transaction commits first, this statement reads the new `due_at`. If this
   * statement commits first, the transaction waits for it, and then sets `due_at` of a webhook without a lease.
   */
  async release({ webhookId, until }: WebhookLease, later: Date | null): Promise<{ isKept: boolean; dueAt: Date | null }> {
    const waits = `select 1 from ${this.#schema}."delivery" d where d."webhook_id" = w."id" and d."status" = 'pending' and d."attempt" = 0`;
    const next = `select min(d."next_attempt_at") from ${this.#schema}."delivery" d where d."webhook_id" = w."id" and d."status" in ('pending', 'failed') and d."attempt" > 0`;
    const [row] = await this.rows.query<{ is_kept: boolean; due_at: Date | string | null }>(
      `update ${this.#schema}."webhook" w set
         "lane_until" = case when w."due_at" is not null then $3::timestamptz end,
         "due_at" = case when w."due_at" is null then case when exists (${waits}) then ${AT_ONCE} else (${next}) end
           when $3::timestamptz is null then w."due_at" end
       where w."id" = $1 and w."lane_until" = $2 returning "lane_until" is not null as is_kept, "due_at"`,
      [webhookId, until, later],
      PREPARED,
    );
    return { isKept: row?.is_kept ?? false, dueAt: row?.due_at ? new Date(row.due_at) : null };
  }

  /** Releases the lease without a delivery. The next delivery is made at the time `later` or after it. */
  async postpone({ webhookId, until }: WebhookLease, later: Date): Promise<void> {
    await this.rows.query(`update ${this.#schema}."webhook" set "lane_until" = null, "due_at" = $3 where "id" = $1 and "lane_until" = $2`, [
      webhookId,
      until,
      later,
    ]);
  }

  /**
   * Releases all leases. A process that is the only user of the database calls this method when it starts, because a
   * killed process may have left leases.
   */
  async releaseAll(): Promise<void> {
    await this.rows.query(
      `update ${this.#schema}."webhook" set "lane_until" = null, "due_at" = ${AT_ONCE} where "lane_until" is not null`,
      [],
    );
  }

  /** Reads pending deliveries that were not attempted yet, and retries that are due. */
  async due(webhookId: string, now: Date, limits: { firsts: number; retries: number }): Promise<DueDeliveries> {
    const from = `select "id", "organization_id", "webhook_id", "event_id", "event", "occurred_at", "attempt" from ${this.#schema}."delivery" where "webhook_id" = $1`;
    const rows = await this.rows.query<DueRow>(
      `(${from} and "status" = 'pending' and "attempt" = 0 order by "sequence" limit $3)
       union all (${from} and "status" in ('pending', 'failed') and "attempt" > 0 and "next_attempt_at" <= $2 order by "next_attempt_at" limit $4)`,
      [webhookId, now, limits.firsts, limits.retries],
      PREPARED,
    );
    const deliveries = rows.map(toDelivery);
    const payloads = await this.eventLog.payloads(deliveries);
    const due = deliveries.map((delivery) => {
      const { payload = null, traceparent = null } = payloads.get(delivery.eventId) ?? {};
      return { ...delivery, payload, traceparent };
    });
    return { firsts: due.filter(({ attempt }) => attempt === 0), retries: due.filter(({ attempt }) => attempt > 0) };
  }

  /**
   * SQL query that selects webhooks with due deliveries and without a valid lease. It also finds webhooks whose lease
   * expired because a process crashed. Each condition has its own index and reads only the beginning of this index, so
   * the query is fast.
   */
  get waiting(): string {
    const from = (condition: string, column: string): string =>
      `(select "id" from ${this.#schema}."webhook" where "active" and ${condition} order by "${column}" limit ${SWEPT})`;
    return [
      from('"lane_until" is null and "due_at" <= $1', 'due_at'),
      from('"lane_until" <= $1', 'lane_until'),
      from('"lane_until" > $2', 'lane_until'),
    ].join(' union all ');
  }

  /**
   * Returns since when the oldest delivery has been waiting for a process. Undefined if none is waiting. A delivery does not wait while a
   * process works on the queue of its webhook, for example because the receiver is slow.
   */
  async oldestWaiting(now: Date): Promise<Date | undefined> {
    const [row] = await this.rows.query<{ since: Date | string | null }>(
      `select min(coalesce(greatest(d."created_at", w."due_at", w."lane_until"), case when w."due_at" > ${AT_ONCE} then w."due_at" end)) as since
       from ((select "id", "due_at", "lane_until" from ${this.#schema}."webhook" where "active" and "lane_until" is null and "due_at" <= $1
                order by "due_at" limit ${SWEPT})
             union all (select "id", "due_at", "lane_until" from ${this.#schema}."webhook" where "active" and "lane_until" <= $1
                order by "lane_until" limit ${SWEPT})) w
       left join lateral (select "created_at" from ${this.#schema}."delivery" where "webhook_id" = w."id" and "status" = 'pending' and "attempt" = 0
         order by "sequence" limit 1) d on true`,
      [now],
    );
    return row?.since ? new Date(row.since) : undefined;
  }

  /** Returns the parameter values of the query `waiting`. */
  waitingAt(now: Date, until: Date): Date[] {
    return [now, implausible(now, until)];
  }
}

/**
 * Returns the latest plausible end of a lease. If a lease ends later, the clock was set back after the lease was
 * acquired. The margin is large, because the clocks of processes differ.
 */
const implausible = (now: Date, until: Date): Date => new Date(2 * until.getTime() - now.getTime());

const isWaiting = (now: string, implausibly: string): string =>
  `"active" and (("lane_until" is null and "due_at" <= ${now}) or "lane_until" <= ${now} or "lane_until" > ${implausibly})`;

interface ClaimedRow {
  organization_id: string;
  url: string;
  sealed_secret: string;
  previous_sealed_secret: string | null;
  previous_secret_until: Date | string | null;
  updated_at: Date | string;
  failing_since: Date | string | null;
}

const instantOf = (value: Date | string | null): Date | null => (value === null ? null : new Date(value));

interface DueRow {
  id: string;
  organization_id: string;
  webhook_id: string;
  event_id: string;
  event: string;
  occurred_at: Date | string;
  attempt: number;
}

const toDelivery = ({ id, organization_id, webhook_id, event_id, event, occurred_at, attempt }: DueRow): DueDelivery => ({
  id,
  organizationId: organization_id,
  webhookId: webhook_id,
  eventId: event_id,
  event,
  occurredAt: new Date(occurred_at),
  attempt,
});
