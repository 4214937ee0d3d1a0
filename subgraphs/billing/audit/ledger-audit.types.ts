import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';
import type { AuditPart, LedgerDifference, LedgerTotal } from './ledger-audit.ts';

@ObjectType('LedgerTotal', { description: 'Sum of one account of the ledger, over the audited accounts of customers.' })
export class LedgerTotalType implements LedgerTotal {
  @Field(() => String, { description: 'ISO 4217 code, such as USD.' })
  currency!: string;

  @Field(() => String, {
    description:
      'Account of the ledger: `receivable`, `tax` or `cash:<processor>`. `balance:receivable` and `balance:credit` are the stored balances.',
  })
  ledgerAccount!: string;

  @Field(() => Decimal, { description: 'Sum of the transfers of the ledger.' })
  posted!: Decimal;

  @Field(() => Decimal, { description: 'Amount according to the invoices, payments, refunds, disputes or stored balances.' })
  recorded!: Decimal;
}

@ObjectType('LedgerDifference', { description: 'An account whose transfers differ from its records.' })
export class LedgerDifferenceType extends LedgerTotalType implements LedgerDifference {
  @Field(() => ID, { description: 'Account of the customer (`acc_…`).' })
  accountId!: string;
}

@ObjectType('LedgerAudit', { description: 'Comparison of the ledger with the records that caused its transfers.' })
export class LedgerAuditType implements AuditPart {
  @Field(() => Int, { description: 'Number of audited accounts of customers: at most 500.' })
  accounts!: number;

  @Field(() => ID, { nullable: true, description: 'Pass it as `after` to audit the next accounts. Null if these were the last accounts.' })
  next!: string | null;

  @Field(() => [LedgerTotalType], { description: 'Sums over the audited accounts: one for each currency and ledger account.' })
  totals!: LedgerTotalType[];

  @Field(() => [LedgerDifferenceType], {
    description: 'Accounts whose transfers differ from their records. Empty if the books are correct.',
  })
  differences!: LedgerDifferenceType[];
}
