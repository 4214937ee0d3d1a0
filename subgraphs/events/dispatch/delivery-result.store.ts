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

/** The advisory lock ("settle" in ASCII) under which attempts are recorded. */
const RESULT_LOCK = 0x736574746c65;

/** What came of an attempt, to be recorded. */
export interface DeliveryResult {
  due: Due;
  lease: WebhookLease;
  attempt: Attempt;
  outcome: Outcome;
}

/** What a webhook is once its attempts are recorded. */
export interface WebhookState {
  active: boolean;
  updatedAt: Date;
  failingSince: Date | null;
}

/** By the webhook's id; none for one that was deleted. */
export type WebhookStates = Map<string, WebhookState>;

/** The statement by which attempts are recorded. It names no organization for the reason that DeliveryStore states. */
export class DeliveryResultStore {
  readonly #schema: string;
  /**
   * A server need not have written a record to its disk when it answers: should it crash, deliveries of its last moments are
   * made again. The embedded database dies with this process, which must not lose more than what was not recorded.
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

  /** Writes a batch, all or nothing. What is the last attempt that a webhook gets disables it in the same transaction. */
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
   * The lock makes revisions visible in their order, as the log's does for sequences. Webhooks are locked before their
   * deliveries and in the order of their ids, as everyone does who takes several. A delivery that is not as it was when it was
   * taken stays as it is: another process recorded it, or this one did and lost the answer.
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
/** All ids lie in the range. It has PostgreSQL expect one row and look each up by its key: for a hundred it would read the whole table. */
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
  /** The first failure after the last success, or the first of all where none succeeded. */
  failed_at: Date | null;
}

/** How a batch moves each webhook's `failing_since`. */
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

/** By what the webhook is now: the queue may have taken it for failing when a success had just been recorded. */
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
