import { migration } from '../../../kernel/migrations/migration.ts';

/** Creates the table of the sandbox clocks. A sandbox clock is the time that billing uses for an organization of a sandbox. */
export const sandboxClock = migration('0016-sandbox-clock', [
  `create table "billing"."sandbox_clock" (
     "organization_id" text primary key,
     "now_at" timestamptz(3) not null,
     "target_at" timestamptz(3) not null,
     "status" text not null,
     "revision" int not null default 1,
     constraint "sandbox_clock_status_check" check ("status" in ('ready', 'advancing', 'failed')),
     constraint "sandbox_clock_target_check" check ("target_at" >= "now_at")
   )`,
]);
