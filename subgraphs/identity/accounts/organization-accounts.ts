import type { EntityManager } from '../../../kernel/database/database.ts';
import { newId } from '../../../kernel/records/ids.ts';

/** Maximum number of accounts that one call opens. */
export const OPENED_AT_ONCE = 500;

interface Missing {
  id: string;
  name: string;
  operator: string;
}

/**
 * Opens the accounts of organizations at the operator's organization, which are invoiced for these organizations. Organizations that are
 * closed, or that already have an account, are skipped. Does nothing if no organization operates the platform. Several processes may call
 * it at the same time. The account gets no mail until it has an e-mail address.
 * @param only opens only the account of this organization
 * @returns the number of organizations that had no account, at most OPENED_AT_ONCE
 */
export async function openAccounts(tx: EntityManager, now: Date, only?: string): Promise<number> {
  const missing = await tx.execute<Missing[]>(
    `select o."id", o."name", p."id" as "operator" from "identity"."organization" o
       join "identity"."organization" p on p."operator"
     where not o."operator" and o."status" <> 'closed' ${only === undefined ? '' : 'and o."id" = ?'}
       and not exists (select from "identity"."account" a where a."billed_organization_id" = o."id")
     order by o."id" limit ${OPENED_AT_ONCE}`,
    only === undefined ? [] : [only],
  );
  if (missing.length === 0) return 0;
  const accounts = missing.map((one) => ({ ...one, account: newId('account'), customer: newId('customer') }));
  await tx.execute(
    `insert into "identity"."account" ("id", "customer_id", "organization_id", "name", "email", "status", "timezone", "metadata",
       "billed_organization_id", "created_at", "updated_at")
     select "account", "customer", "operator", "name", '', 'active', 'UTC', '{}', "id", ?::timestamptz, ?::timestamptz
     from json_to_recordset(?::json) as a("id" text, "name" text, "operator" text, "account" text, "customer" text) order by "id"
     on conflict ("billed_organization_id") where "billed_organization_id" is not null do nothing`,
    [now.toISOString(), now.toISOString(), JSON.stringify(accounts)],
  );
  return missing.length;
}
