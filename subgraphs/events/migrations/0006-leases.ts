import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the leases of the relay and of the consumers. Processes of the previous release do not know them: they work beside the process that
 * has the lease, as before.
 */
export const leases = migration('0006-leases', [
  `create table "events"."lease" (
     "name" text not null,
     "holder" text not null,
     "held_until" timestamptz(3) not null,
     primary key ("name")
   )`,
]);
