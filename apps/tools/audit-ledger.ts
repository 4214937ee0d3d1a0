import type { ConfigSource } from '../../kernel/settings/config.ts';
import { auditPart } from '../../subgraphs/billing/audit/ledger-audit.ts';
import { openOffline } from './offline.ts';
import type { MaintenanceOptions } from './reencrypt.ts';

/** Maximum number of differences that are listed. All differences are counted. */
const SHOWN_MAX = 1_000;
const ORGANIZATIONS = 100;

/**
 * Compares the ledger of each organization with its invoices, payments, refunds and disputes, as the nightly audit does.
 * Returns false if there is a difference.
 */
export async function auditLedger(settings: ConfigSource, { tell }: Pick<MaintenanceOptions, 'tell'>): Promise<boolean> {
  await using offline = await openOffline(settings);
  const { rows } = offline.assembly.stores.billing;
  const counts = { organizations: 0, accounts: 0, differences: 0 };
  const next = (after: string): Promise<{ id: string }[]> =>
    rows.query<{ id: string }>(`select "id" from "billing"."ledger_audit" where "id" > $1 order by "id" limit ${ORGANIZATIONS}`, [after]);
  for (let page = await next(''); page.length > 0; page = await next(page.at(-1)?.id ?? '')) {
    for (const { id: organization } of page) {
      counts.organizations += 1;
      let after: string | null = null;
      do {
        const part = await auditPart(rows, organization, after);
        counts.accounts += part.accounts;
        for (const { accountId, currency, ledgerAccount, posted, recorded } of part.differences) {
          counts.differences += 1;
          if (counts.differences <= SHOWN_MAX)
            tell(`  ${organization} ${accountId} ${ledgerAccount} ${currency}: ${posted} are posted, but ${recorded} are recorded`);
        }
        after = part.next;
      } while (after !== null);
    }
  }
  const result = counts.differences === 0 ? 'no differences' : `${counts.differences} differences`;
  tell(`${counts.accounts} accounts of ${counts.organizations} organizations were audited: ${result}.`);
  return counts.differences === 0;
}
