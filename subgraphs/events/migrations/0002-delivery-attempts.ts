import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Maximum number of earlier attempts that are kept: a full schedule of ten attempts, and some redeliveries and replays.
 */
const KEPT = 32;

/**
 * Keeps the earlier attempts of a delivery, up to the limit KEPT. The row contains the result of the last attempt; a
 * trigger moves the previous result to `earlier_attempts`. A delivery that succeeds at the first attempt needs no
 * additional write, and reading attempts needs no join. The trigger also works for processes that still run the
 * previous release.
 */
export const deliveryAttempts = migration('0002-delivery-attempts', [
  `alter table "events"."delivery" add column "earlier_attempts" jsonb null`,
  `create function "events"."keep_attempt"() returns trigger language plpgsql as $$ begin
     new."earlier_attempts" := coalesce(old."earlier_attempts", '[]') || jsonb_build_object(
       'attemptedAt', old."attempted_at", 'url', old."url", 'responseStatus', old."response_status",
       'responseBody', old."response_body", 'error', old."error", 'durationMs', old."duration_ms");
     if jsonb_array_length(new."earlier_attempts") > ${KEPT} then new."earlier_attempts" := new."earlier_attempts" - 0; end if;
     return new;
   end $$`,
  // a skipped delivery was not attempted, so it has no result to keep
  `create trigger "delivery_attempt_kept" before update on "events"."delivery" for each row
     when (old."attempted_at" is not null and old."status" <> 'skipped'
       and (old."attempted_at", old."attempt") is distinct from (new."attempted_at", new."attempt"))
     execute function "events"."keep_attempt"()`,
]);
