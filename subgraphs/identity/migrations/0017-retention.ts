import { inboxRetentionIndex } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds indexes for deleting rows by age. Audit records still cannot be changed, but they can now be deleted after 30 days. */
export const retention = migration('0017-retention', [
  inboxRetentionIndex('identity'),
  `create index "session_expires_at_index" on "identity"."session" ("expires_at")`,
  `create index "session_ended_at_index" on "identity"."session" ("ended_at") where ended_at is not null`,
  `create index "one_time_token_expires_at_index" on "identity"."one_time_token" ("expires_at")`,
  `create index "audit_record_timestamp_index" on "identity"."audit_record" ("timestamp")`,
  `create index "login_attempt_first_at_index" on "identity"."login_attempt" ("first_at")`,
  `create index "mfa_counter_first_at_index" on "identity"."mfa_counter" ("first_at")`,
  `create index "elevation_until_index" on "identity"."elevation" ("until")`,
  'drop trigger "audit_record_append_only" on "identity"."audit_record"',
  `create trigger "audit_record_append_only" before update on "identity"."audit_record" for each row execute function "identity"."refuse_change"()`,
  `create trigger "audit_record_retention" before delete on "identity"."audit_record" for each row
     when (old."timestamp" > now() - interval '30 days') execute function "identity"."refuse_change"()`,
]);
