import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { BillingContext } from '../context.ts';
import { LedgerAuditType } from './ledger-audit.types.ts';

@Resolver(() => LedgerAuditType)
export class LedgerAuditResolver {
  @Query(() => LedgerAuditType, {
    description:
      'Compare the ledger with invoices, payments, refunds and disputes. Each call audits at most 500 accounts. The platform also audits all accounts every night, and sends `ledger.difference_found`.',
  })
  @Requires('billing:admin', { scope: 'organization' })
  ledgerAudit(
    @Arg('after', () => ID, { nullable: true, description: '`next` of the previous part. Default: the first accounts.' })
    after: string | undefined,
    @Ctx() { auditLedger }: BillingContext,
  ): Promise<LedgerAuditType> {
    return auditLedger(after ?? null);
  }
}
