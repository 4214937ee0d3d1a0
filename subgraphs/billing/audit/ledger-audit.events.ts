import { z } from 'zod';
import { defineEvent } from '../../../kernel/events/events.ts';
import type { LedgerDifference } from './ledger-audit.ts';

/** Maximum number of ledger differences that one event lists. */
const LISTED = 20;

export const ledgerDifferenceFound = defineEvent(
  {
    name: 'ledger.difference_found',
    family: 'billing',
    requires: 'billing:admin',
    description: 'The nightly audit found that the ledger differs from invoices, payments, refunds or disputes. Contact the operator.',
    data: z.strictObject({
      differences_total: z.int(),
      differences: z
        .array(
          z.strictObject({
            account_id: z.string(),
            currency: z.string(),
            ledger_account: z.string(),
            posted: z.number().describe('Sum of the transfers of the ledger.'),
            recorded: z.number().describe('The amount that the records (invoices, payments, refunds, credits) add up to.'),
          }),
        )
        .describe(`The first ${LISTED} differences.`),
    }),
    example: {
      differences_total: 1,
      differences: [
        { account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G', currency: 'USD', ledger_account: 'receivable', posted: 299.9, recorded: 199.9 },
      ],
    },
  },
  (organizationId: string, differences: readonly LedgerDifference[], occurredAt: Date) => ({
    organizationId,
    occurredAt,
    subject: { type: 'Organization', id: organizationId },
    data: {
      differences_total: differences.length,
      differences: differences.slice(0, LISTED).map(({ accountId, currency, ledgerAccount, posted, recorded }) => ({
        account_id: accountId,
        currency,
        ledger_account: ledgerAccount,
        posted: posted.toNumber(),
        recorded: recorded.toNumber(),
      })),
    },
  }),
);
