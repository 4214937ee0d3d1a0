import type { Orm, Rows } from '../../../kernel/database/database.ts';
import { PREPARED } from '../../../kernel/database/statements.ts';
import type { Delivery } from '../deliveries/delivery.entity.ts';
import type { EventLog, EventPayload } from '../log/event-log.ts';
import { AT_ONCE } from '../webhooks/webhook-due.ts';
import type { SealedSecrets } from '../webhooks/webhook-secret.ts';

/** The lease of a webhook: the right of one process to deliver to it, until a time. */
export interface WebhookLease extends SealedSecrets {
  webhookId: string;
  organizationId: string;
  url: string;
  updatedAt: Date;
  failingSince: Date | null;
  until: Date;
}

type DueDelivery = Pick<Delivery, 'id' | 'organizationId' | 'webhookId' | 'eventId' | 'event' | 'occurredAt' | 'attempt'>;

/** A delivery that is due, with what it delivers: null where the event has left the log. */
export type Due = DueDelivery & { [K in keyof EventPayload]: EventPayload[K] | null };

export interface DueDeliveries {
  /** In the order of the log. */
  firsts: Due[];
  retries: Due[];
}

const SWEPT = 500;

/**
 * What is due, and who has the lease. `webhook.due_at` says when something is next to be delivered; while a process has the lease
 * (`lane_until`) it says what has become due since, which is why acquiring the lease sets it to null.
 *
 * The statements name no organization: they are the platform's own work for all of them, no caller chooses the ids (a webhook's
 * id comes from the planner or the sweep), and a delivery was planned only for events of its webhook's organization. What
 * callers read of deliveries goes through DeliveryService, within theirs. Instants come from the platform's clock, so that
 * tests can move it.
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

  /** Acquires the lease for a webhook: undefined where nothing is due, while another process has it, and for one that is inactive or gone. */
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

  /** Renews the lease; false where it was lost meanwhile. */
  async extend({ webhookId, until }: WebhookLease, later: Date): Promise<boolean> {
    const rows = await this.rows.query(
      `update ${this.#schema}."webhook" set "lane_until" = $3 where "id" = $1 and "lane_until" = $2 returning "id"`,
      [webhookId, until, later],
    );
    return rows.length > 0;
  }

  /**
   * Ends the lease and says in `due_at` when the next is. Where something became due meanwhile the lease is renewed until `later`
   * instead, if that is given, and the answer says so: the caller looks again.
   *
   * No wake-up is lost. Who makes deliveries due writes `due_at` in the same transaction. If that committed first, this reads
   * it, having waited for the row where it had to. If this is first, the other one waits and then writes `due_at` of a webhook
   * whose lease is free.
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

  /** Ends the lease before anything was delivered: the next is not before `later`. */
  async postpone({ webhookId, until }: WebhookLease, later: Date): Promise<void> {
    await this.rows.query(`update ${this.#schema}."webhook" set "lane_until" = null, "due_at" = $3 where "id" = $1 and "lane_until" = $2`, [
      webhookId,
      until,
      later,
    ]);
  }

  /** Ends all leases: for the start of a process that has the database for itself, after one that was killed. */
  async releaseAll(): Promise<void> {
    await this.rows.query(
      `update ${this.#schema}."webhook" set "lane_until" = null, "due_at" = ${AT_ONCE} where "lane_until" is not null`,
      [],
    );
  }

  /** First attempts, and retries whose time has come. */
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
   * SQL that selects webhooks that something is due for and nobody delivers to; those too whose process ended in the midst of its
   * lease. Each condition is read from the beginning of its own index.
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

  /** The values of `waiting`. */
  waitingAt(now: Date, until: Date): Date[] {
    return [now, implausible(now, until)];
  }
}

/**
 * A lease that ends much later than any could was taken before the clock was set back; much, since other processes read their
 * clocks too.
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
