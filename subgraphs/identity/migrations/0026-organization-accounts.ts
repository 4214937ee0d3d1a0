import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Links an account of the operator's organization to another organization, for which the account is invoiced. `charged`
 * is the overage of a month that was given to billing. Overage that earlier releases have only reported is not
 * invoiced.
 */
export const organizationAccounts = migration('0026-organization-accounts', [
  `alter table "identity"."account" add column "billed_organization_id" text null`,
  `create unique index "account_billed_organization_index" on "identity"."account" ("billed_organization_id")
     where "billed_organization_id" is not null`,
  `alter table "identity"."usage_month_counter" add column "charged" bigint not null default 0`,
  `update "identity"."usage_month_counter" set "charged" = "reported" where "reported" > 0`,
]);
