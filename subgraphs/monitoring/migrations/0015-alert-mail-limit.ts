import { migration } from '../../../kernel/migrations/migration.ts';

/** Counts the mails of an alert in an hour, and those that were not sent because there were too many. */
export const alertMailLimit = migration('0015-alert-mail-limit', [
  `alter table "monitoring"."alert" add column "mail_hour_at" timestamptz(3) null, add column "mails_sent" int not null default 0,
     add column "mails_held" int not null default 0`,
]);
