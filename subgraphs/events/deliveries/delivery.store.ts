import { LockMode } from '@mikro-orm/core';
import type { EntityManager, Orm, Rows } from '../../../kernel/database.ts';
import type { Jobs } from '../../../kernel/jobs.ts';
import { record } from '../../../kernel/outbox.ts';
import { Webhook } from '../webhooks/webhook.entity.ts';
import { webhookDisabled } from '../webhooks/webhook.events.ts';
import type { SealedSecrets } from '../webhooks/webhook.secret.ts';
import type { Delivery, DeliveryStatus } from './delivery.entity.ts';
import type { Attempt } from './delivery.sender.ts';

export const RETRY_QUEUE = 'webhook-retry';
export interface RetryJob {
  webhookId: string;
}

/** The turn to deliver to a webhook, until an instant. */
export interface Lane extends SealedSecrets {
  webhookId: string;
  url: string;
  updatedAt: Date;
  until: Date;
}

/** A delivery that is due, with what it delivers. */
export type Due = Pick<Delivery, 'id' | 'webhookId' | 'eventId' | 'event' | 'attempt'> & { payload: string };

export interface Outcome {
  status: DeliveryStatus;
  nextAttemptAt: Date | null;
  /** The receiver wants nothing more. */
  isGone: boolean;
}

/** Of due deliveries at most this many are taken in one turn. */
export const FIRSTS = 20;
export const RETRIES = 4;
/** A retry that is this late has lost its job. */
const OVERDUE_MS = 30_000;
const SWEPT = 500;

/**
 * The statements behind deliveries. They name no organization: they are the platform's own work for all of them, no caller
 * chooses the ids (a webhook's id comes from its turn, its job or the sweep), and a delivery was planned only for events of its
 * webhook's organization. What callers read of deliveries goes through DeliveryService, within theirs. Instants come from the
 * platform's clock, so that tests can move it.
 */
export class DeliveryStore {
  readonly #schema: string;

  constructor(
    private readonly orm: Orm,
    private readonly rows: Rows,
    private readonly jobs: Jobs,
  ) {
    this.#schema = `"${orm.config.getAll().schema}"`;
  }

  /**
   * Takes the turn for a webhook: undefined while another process has it, and for one that is inactive or gone. A turn that
   * ends much later than any could was taken before the clock was set back; much, since other processes read their clocks too.
   */
  async claim(webhookId: string, now: Date, until: Date): Promise<Lane | undefined> {
    const implausible = new Date(2 * until.getTime() - now.getTime());
    const [row] = await this.rows.query<ClaimedRow>(
      `update ${this.#schema}."webhook" set "lane_until" = $3
       where "id" = $1 and "active" and ("lane_until" is null or "lane_until" <= $2 or "lane_until" > $4)
       returning "url", "sealed_secret", "previous_sealed_secret", "previous_secret_until", "updated_at"`,
      [webhookId, now, until, implausible],
    );
    return (
      row && {
        webhookId,
        url: row.url,
        sealedSecret: row.sealed_secret,
        previousSealedSecret: row.previous_sealed_secret,
        previousSecretUntil: row.previous_secret_until === null ? null : new Date(row.previous_secret_until),
        updatedAt: new Date(row.updated_at),
        until,
      }
    );
  }

  /** Keeps the turn longer; false where it was lost meanwhile. */
  async extend({ webhookId, until }: Lane, later: Date): Promise<boolean> {
    const rows = await this.rows.query(
      `update ${this.#schema}."webhook" set "lane_until" = $3 where "id" = $1 and "lane_until" = $2 returning "id"`,
      [webhookId, until, later],
    );
    return rows.length > 0;
  }

  /** Ends all turns: for the start of a process that has the database for itself, after one that was killed. */
  async releaseAll(): Promise<void> {
    await this.rows.query(`update ${this.#schema}."webhook" set "lane_until" = null where "lane_until" is not null`, []);
  }

  async release({ webhookId, until }: Lane): Promise<void> {
    await this.rows.query(`update ${this.#schema}."webhook" set "lane_until" = null where "id" = $1 and "lane_until" = $2`, [
      webhookId,
      until,
    ]);
  }

  /** First attempts in the order of the log, and retries whose time has come. */
  async due(webhookId: string, now: Date): Promise<Due[]> {
    const columns = 'd."id", d."webhook_id", d."event_id", d."event", d."attempt", e."payload"';
    const from = `${this.#schema}."delivery" d join ${this.#schema}."event_log" e on e."id" = d."event_id" and e."occurred_at" = d."occurred_at" where d."webhook_id" = $1`;
    const rows = await this.rows.query<{
      id: string;
      webhook_id: string;
      event_id: string;
      event: string;
      attempt: number;
      payload: string;
    }>(
      `(select ${columns} from ${from} and d."status" = 'pending' order by d."sequence" limit ${FIRSTS})
       union all (select ${columns} from ${from} and d."status" = 'failed' and d."next_attempt_at" <= $2 order by d."next_attempt_at" limit ${RETRIES})`,
      [webhookId, now],
    );
    return rows.map(({ id, webhook_id, event_id, event, attempt, payload }) => ({
      id,
      webhookId: webhook_id,
      eventId: event_id,
      event,
      attempt,
      payload,
    }));
  }

  /** Webhooks with first attempts that nobody makes, or retries whose job was lost. */
  async overdue(now: Date): Promise<string[]> {
    const waiting = `select 1 from ${this.#schema}."delivery" d where d."webhook_id" = w."id"`;
    const rows = await this.rows.query<{ id: string }>(
      `select w."id" from ${this.#schema}."webhook" w where w."active" and (w."lane_until" is null or w."lane_until" <= $1)
         and (exists (${waiting} and d."status" = 'pending') or exists (${waiting} and d."status" = 'failed' and d."next_attempt_at" <= $2)) limit ${SWEPT}`,
      [now, new Date(now.getTime() - OVERDUE_MS)],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Writes what came of an attempt, with the job of the next one in the same transaction. Answers whether the turn may go on:
   * not when the webhook was changed, stopped or deleted meanwhile.
   */
  async settle({ id, attempt: made }: Due, lane: Lane, attempt: Attempt, outcome: Outcome): Promise<boolean> {
    const { status, nextAttemptAt, isGone } = outcome;
    const values = [
      id,
      made + 1,
      status,
      lane.url,
      attempt.status,
      attempt.body,
      attempt.error,
      attempt.durationMs,
      attempt.at,
      nextAttemptAt,
    ];
    if (nextAttemptAt === null && !isGone)
      return isUnchanged(
        await this.rows.query<Settled>(
          this.#settleText((index) => `$${index}`),
          values,
        ),
        lane,
      );

    return this.orm.em.fork().transactional(async (tx) => {
      const settled = await tx.execute<Settled[]>(
        this.#settleText(() => '?'),
        [...values.slice(1), id],
      );
      if (settled.length === 0) return false;
      if (nextAttemptAt)
        await this.jobs.enqueue(tx, RETRY_QUEUE, { webhookId: lane.webhookId } satisfies RetryJob, { startAfter: nextAttemptAt });
      if (isGone) await this.#disable(tx, lane.webhookId, attempt.at);
      return !isGone && isUnchanged(settled, lane);
    });
  }

  /** The id is the last value where placeholders have no number, so it is written last. */
  #settleText(value: (index: number) => string): string {
    return `update ${this.#schema}."delivery" d set "attempt" = ${value(2)}, "status" = ${value(3)}, "url" = ${value(4)}, "response_status" = ${value(5)}, "response_body" = ${value(6)},
      "error" = ${value(7)}, "duration_ms" = ${value(8)}, "attempted_at" = ${value(9)}, "next_attempt_at" = ${value(10)}
      from ${this.#schema}."webhook" w where w."id" = d."webhook_id" and d."id" = ${value(1)} returning w."active", w."updated_at"`;
  }

  async #disable(tx: EntityManager, webhookId: string, now: Date): Promise<void> {
    const webhook = await tx.findOne(Webhook, { id: webhookId }, { filters: false, lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!webhook?.active) return;
    Object.assign(webhook, { active: false, disabledAt: now, disabledReason: 'gone', updatedAt: now });
    await record(tx, webhookDisabled(webhook, now));
  }
}

interface ClaimedRow {
  url: string;
  sealed_secret: string;
  previous_sealed_secret: string | null;
  previous_secret_until: Date | string | null;
  updated_at: Date | string;
}

interface Settled {
  active: boolean;
  updated_at: Date | string;
}

const isUnchanged = ([row]: Settled[], { updatedAt }: Lane): boolean =>
  row?.active === true && new Date(row.updated_at).getTime() === updatedAt.getTime();
