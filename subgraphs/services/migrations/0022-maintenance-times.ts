import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds a title to maintenance windows, and the times at which they were announced, have started and have ended. A window that the previous
 * release plans while it still runs is announced at the present time of the database. Windows that have already started have no actual
 * start, because it was not stored.
 */
export const maintenanceTimes = migration('0022-maintenance-times', [
  `alter table "services"."maintenance_window"
     add column "title" text null,
     add column "announced_at" timestamptz(3) not null default now(),
     add column "actual_start" timestamptz(3) null,
     add column "actual_end" timestamptz(3) null`,
  `update "services"."maintenance_window" set "announced_at" = "created_at"`,
]);
