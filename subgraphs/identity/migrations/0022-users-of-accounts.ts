import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the account of each user. An invited address is unique only within its account, so that an invitation does not reveal users of other
 * accounts. A user who is limited to exactly one account is assigned to this account. All other users are assigned to the organization's
 * own account.
 */
export const usersOfAccounts = migration('0022-users-of-accounts', [
  `alter table "identity"."user" add constraint "user_organization_id_account_id_address_unique" unique ("organization_id", "account_id", "address")`,
  `alter table "identity"."user" drop constraint "user_organization_id_address_unique"`,
  `update "identity"."user" u set "account_id" =
       case when jsonb_typeof(u."accounts") = 'array' and jsonb_array_length(u."accounts") = 1 then u."accounts" ->> 0 else a."id" end
     from "identity"."account" a where a."organization_id" = u."organization_id" and a."own" and u."account_id" is null`,
]);
