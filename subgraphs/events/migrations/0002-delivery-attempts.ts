import { migration } from '../../../kernel/migrations/migration.ts';

/** Ten of the schedule, and as many redeliveries and replays again and again. */
const KEPT = 32;

/**
 * Every attempt of a delivery is kept. The row says what came of the last one; when another takes its place, a trigger moves it to
 * `earlier_attempts`. So a delivery that succeeds at once costs nothing more, nothing has to be joined or deleted, and attempts that
 * a process of the previous release makes are kept too.
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
  // what was skipped was not attempted
  `create trigger "delivery_attempt_kept" before update on "events"."delivery" for each row
     when (old."attempted_at" is not null and old."status" <> 'skipped'
       and (old."attempted_at", old."attempt") is distinct from (new."attempted_at", new."attempt"))
     execute function "events"."keep_attempt"()`,
]);
