import type { Database, EntityManager, Orm, Rows } from '../../../kernel/database/database.ts';
import { PREPARED } from '../../../kernel/database/statements.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { type Attempt, isSuccess } from '../deliveries/attempt.ts';
import { DeliveryStatus } from '../deliveries/delivery.entity.ts';
import { Webhook } from '../webhooks/webhook.entity.ts';
import { webhookDisabled } from '../webhooks/webhook.events.ts';
import type { Due, WebhookLease } from './delivery.store.ts';
import { type Outcome, reasonToDisable } from './delivery-outcome.ts';

/** Number of the advisory lock that is held while attempts are recorded ("settle" in ASCII). */
const RESULT_LOCK = 0x736574746c65;

/** An attempt whose result must be recorded. */
export interface DeliveryResult {
  due: Due;
  lease: WebhookLease;
  attempt: Attempt;
  outcome: Outcome;
}

/** State of a webhook after its results were recorded. */
export interface WebhookState {
  active: boolean;
  updatedAt: Date;
  failingSince: Date | null;
}

/** States of webhooks by id. A deleted webhook has no entry. */
export type WebhookStates = Map<string, WebhookState>;

/**
 * Records the results of attempts. The statement has no organization filter, because this background work records
 * results for all organizations.
 */
export class DeliveryResultStore {
  readonly #schema: string;
  /**
   * Value of `synchronous_commit` for the statement. On a PostgreSQL server it is off: if the server crashes, the last
   * results are lost and their deliveries are repeated. The embedded database crashes together with the process, so
   * there the value is on, and a crash loses no result that was written.
   */
  readonly #durability: 'on' | 'off';

  constructor(
    private readonly orm: Orm,
    private readonly rows: Rows,
    { pglite }: Database,
  ) {
    this.#schema = `"${orm.config.getAll().schema}"`;
    this.#durability = pglite ? 'on' : 'off';
  }

  /**
   * Writes a batch of results completely, or not at all. If an attempt is a reason to disable its webhook, disables the
   * webhook in the same transaction.
   */
  async write(batch: readonly DeliveryResult[]): Promise<WebhookStates> {
    const clocks = clocksOf(batch);
    const values = [JSON.stringify(clocks), JSON.stringify(batch.map(toRow))];
    if (!batch.some(({ attempt, lease }) => reasonToDisable(attempt, lease.failingSince)))
      return toWebhookStates(await this.rows.query<WebhookStateRow>(this.#text(['$1', '$2']), values, PREPARED));
    return this.orm.em.fork().transactional(async (tx) => {
      const states = toWebhookStates(await tx.execute<WebhookStateRow[]>(this.#text(['?', '?']), values));
      for (const result of batch) await disableWhereDue(tx, result, states);
      return states;
    });
  }

  /**
   * Returns the SQL statement that records attempts. Because of the advisory lock, only one such statement runs at a time, and revisions
   * become visible in increasing order. The statement locks webhooks before their deliveries, and in the order of their ids, as all other
   * transactions do. It does not update a delivery that has changed since the delivery was read. In this case, the result is already
   * recorded by another process or by an earlier execution of this statement, or a replay has reset the delivery.
   */
  #text([clocks, attempts]: readonly [string, string]): string {
    return `with "lock" as materialized (select pg_advisory_xact_lock(${RESULT_LOCK}), set_config('synchronous_commit', '${this.#durability}', true)),
      "hook" as materialized (
        select w."id", w."active", w."updated_at", w."failing_since",
          case when c."succeeded" then c."failed_at" else coalesce(w."failing_since", c."failed_at") end as "failing"
        from "lock", ${this.#schema}."webhook" w
          join ${recordset(clocks, CLOCK_COLUMNS)} c on c."id" = w."id"
        order by w."id" for no key update of w),
      "settled" as (
        update ${this.#schema}."delivery" d set ${ASSIGNMENTS}, "revision" = nextval('${this.#schema}."delivery_revision"')
        from ${recordset(attempts, ROW_COLUMNS)} a
        where d."id" = a."id" and d."attempt" = a."made" and d."status" in ('pending', 'failed') and (select count(*) from "hook") > 0),
      "clock" as (
        update ${this.#schema}."webhook" w set "failing_since" = h."failing" from "hook" h
        where w."id" = h."id" and h."failing" is distinct from h."failing_since")
      select "id", "active", "updated_at", "failing" as "failing_since" from "hook"`;
  }
}

const COLUMNS =
  '"attempt" int, "status" text, "url" text, "response_status" int, "response_body" text, "error" text, "duration_ms" int, "attempted_at" timestamptz(3), "next_attempt_at" timestamptz(3)';
const CLOCK_COLUMNS = '"id" text, "succeeded" boolean, "failed_at" timestamptz(3)';
const ROW_COLUMNS = `"id" text, "made" int, ${COLUMNS}`;
/**
 * Returns SQL that reads rows from JSON. The condition on `id` is true for every id. It makes PostgreSQL expect one row
 * in the JSON instead of a hundred, and therefore look up the rows of the joined table by key instead of scanning this
 * table.
 */
const recordset = (rows: string, columns: string): string =>
  `(select * from json_to_recordset(${rows}::json) as r(${columns}) where "id" between 'a' and 'z')`;
const ASSIGNMENTS = COLUMNS.replace(/("\w+") [^,]+/g, '$1 = a.$1');

const toRow = ({ due, lease, attempt, outcome }: DeliveryResult): object => ({
  id: due.id,
  made: due.attempt,
  attempt: outcome.status === DeliveryStatus.SKIPPED ? due.attempt : due.attempt + 1,
  status: outcome.status,
  url: lease.url,
  response_status: attempt.status,
  response_body: attempt.body,
  error: attempt.error,
  duration_ms: attempt.durationMs,
  attempted_at: attempt.at,
  next_attempt_at: outcome.nextAttemptAt,
});

interface Clock {
  id: string;
  succeeded: boolean;
  /** Time of the first failed attempt in the batch with no successful attempt after it. Null if there is none. */
  failed_at: Date | null;
}

/** Computes for each webhook how a batch of results changes `failing_since`. */
function clocksOf(batch: readonly DeliveryResult[]): Clock[] {
  const clocks = new Map<string, Clock>();
  for (const { lease, attempt, outcome } of batch) {
    const clock = clocks.get(lease.webhookId) ?? { id: lease.webhookId, succeeded: false, failed_at: null };
    clocks.set(lease.webhookId, clock);
    if (isSuccess(attempt)) Object.assign(clock, { succeeded: true, failed_at: null });
    else if (outcome.status !== DeliveryStatus.SKIPPED) clock.failed_at ??= attempt.at;
  }
  return [...clocks.values()];
}

interface WebhookStateRow {
  id: string;
  active: boolean;
  updated_at: Date | string;
  failing_since: Date | string | null;
}

const toWebhookStates = (rows: readonly WebhookStateRow[]): WebhookStates =>
  new Map(
    rows.map(({ id, active, updated_at, failing_since }) => [
      id,
      { active, updatedAt: new Date(updated_at), failingSince: failing_since === null ? null : new Date(failing_since) },
    ]),
  );

/**
 * Disables the webhook of a result if `reasonToDisable` returns a reason. Checks the current state of the webhook,
 * because a success may have been recorded since the attempt.
 */
async function disableWhereDue(tx: EntityManager, { lease, attempt }: DeliveryResult, states: WebhookStates): Promise<void> {
  const state = states.get(lease.webhookId);
  const reason = state?.active && reasonToDisable(attempt, state.failingSince);
  if (!reason) return;
  const webhook = await tx.findOneOrFail(Webhook, { id: lease.webhookId }, { filters: false, ...LOCKED });
  Object.assign(webhook, { active: false, disabledAt: attempt.at, disabledReason: reason, updatedAt: attempt.at });
  await tx.flush();
  await record(tx, webhookDisabled(webhook, attempt.at));
  state.active = false;
}
