import { migration } from '../../../kernel/migrations/migration.ts';

const STATUSES =
  "'pending', 'provisioning', 'operational', 'degraded', 'down', 'maintenance', 'suspended', 'decommissioning', 'decommissioned', 'failed'";

/** Replaces the check constraint of a status column. Existing rows satisfy the new constraint, because it allows more statuses. */
const allow = (table: string, column: string): string =>
  `alter table "services"."${table}" drop constraint "${table}_${column}_check", add constraint "${table}_${column}_check" check ("${column}" in (${STATUSES})) not valid`;

/**
 * Adds the suspension of services whose account does not pay. `revision` is the revision of an account's dunning state in the newest event.
 */
export const suspension = migration('0018-suspension', [
  allow('service', 'status'),
  allow('service_status_change', 'from'),
  allow('service_status_change', 'to'),
  allow('maintenance_window', 'status_before'),
  `create table "services"."account_suspension" (
     "organization_id" text not null,
     "account_id" text not null,
     "suspended" boolean not null,
     "revision" int not null,
     primary key ("organization_id", "account_id")
   )`,
]);
