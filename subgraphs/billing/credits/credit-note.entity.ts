import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { CreditCause } from './credit-note.states.ts';

/** Stored form of the tax of one rate in a credit note. Amounts are texts, because JSON numbers are not exact. */
interface StoredTax {
  name: string;
  percent: string;
  taxable: string;
  amount: string;
  reason: string | null;
}

@ObjectType({ description: 'The tax of one rate that a credit note gives back.' })
export class CreditNoteTax {
  @Field(() => String, { description: 'Name of the tax on the invoice.' })
  name!: string;

  @Field(() => Decimal, { description: 'Percentage of the net amount: 20 for 20 %.' })
  percent!: Decimal;

  @Field(() => Decimal, { description: 'Net amount to which the tax applies.' })
  taxable!: Decimal;

  @Field(() => Decimal, { description: 'Tax that is given back.' })
  amount!: Decimal;

  @Field(() => String, { nullable: true, description: 'Why no tax was due. Null if tax was due.' })
  reason!: string | null;
}

/**
 * A credit note. It gives back a part of an invoice, or gives an account credit without an invoice. It first reduces the unpaid amount of
 * the invoice, and the remaining amount becomes credit of the account. A credit note never changes.
 */
@ObjectType({
  description:
    'A credit note reduces the due amount of an invoice. The part that was already paid becomes credit of the account, and pays other invoices.',
})
@Directive('@key(fields: "id")')
@Check({ name: 'credit_note_invoice_check', expression: `("invoice_id" is null) = ("cause" = 'goodwill')` })
@Check({
  name: 'credit_note_amount_check',
  expression: `"net" > 0 and "tax" >= 0 and "amount" = "net" + "tax"
       and "amount_to_invoice" >= 0 and "amount_to_account" >= 0 and "amount" = "amount_to_invoice" + "amount_to_account"`,
})
@Entity({ tableName: 'credit_note' })
@OrganizationFilter({ account: 'accountId' })
@Unique({ properties: ['organizationId', 'number'] })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'accountId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'invoiceId', 'createdAt'] })
export class CreditNote {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, {
    description:
      'Credit note number that people use, for example in letters, such as CN-1001. The numbers of an organization have no gaps.',
  })
  @Property({ type: 'text' })
  number!: string;

  @Field(() => ID, { description: 'Account that gets the credit (`acc_…`).' })
  @Property({ type: 'text' })
  accountId!: string;

  @Field(() => ID, { nullable: true, description: 'Invoice that is corrected (`inv_…`). Null for goodwill.' })
  @Property({ type: 'text', nullable: true })
  invoiceId: string | null = null;

  @Field(() => CreditCause, { description: 'Why the credit note was issued.' })
  @Enum({ items: () => CreditCause, type: 'text' })
  cause!: CreditCause;

  @Field(() => Decimal, { description: 'Sum of its lines, without tax.' })
  @Property({ type: MoneyType })
  net!: Decimal;

  @Field(() => Decimal, { description: 'Tax that is given back.' })
  @Property({ type: MoneyType })
  tax!: Decimal;

  @Field(() => Decimal, { description: 'Sum of `net` and `tax`.' })
  @Property({ type: MoneyType })
  amount!: Decimal;

  @Field(() => Decimal, { description: 'Part of `amount` that reduced the due amount of the invoice.' })
  @Property({ type: MoneyType })
  amountToInvoice!: Decimal;

  @Field(() => Decimal, { description: 'Part of `amount` that became credit of the account.' })
  @Property({ type: MoneyType })
  amountToAccount!: Decimal;

  @Field(() => String, { description: 'ISO 4217 code of all amounts, such as USD.' })
  @Property({ type: 'text' })
  currency!: string;

  @Property({ type: 'json', default: '[]', fieldName: 'taxes' })
  storedTaxes: StoredTax[] = [];

  @Field(() => String, { nullable: true, description: 'Reason as the customer sees it. Null if none was given.' })
  @Property({ type: 'text', nullable: true })
  reason: string | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => [CreditNoteTax], { description: 'The tax of each rate that is given back.' })
  get taxes(): CreditNoteTax[] {
    return this.storedTaxes.map(({ name, reason, percent, taxable, amount }) => ({
      ...{ name, reason, percent: new Decimal(percent), taxable: new Decimal(taxable), amount: new Decimal(amount) },
    }));
  }

  set taxes(taxes: readonly CreditNoteTax[]) {
    this.storedTaxes = taxes.map(({ name, reason, percent, taxable, amount }) => ({
      ...{ name, reason, percent: percent.toFixed(), taxable: taxable.toFixed(), amount: amount.toFixed() },
    }));
  }
}

/** Amount that a credit note gives back for one line of the invoice. */
@ObjectType({ description: 'Amount that a credit note gives back for one line of the invoice.' })
@Entity({ tableName: 'credit_note_line' })
@OrganizationFilter({ account: { by: 'creditNoteId', of: 'CreditNote' } })
@Check({ name: 'credit_note_line_net_check', expression: `"net" > 0` })
export class CreditNoteLine {
  @ManyToOne(() => CreditNote, { primary: true, mapToPk: true, fieldName: 'credit_note_id', type: 'text' })
  creditNoteId!: string;

  @Field(() => Int, { description: 'Position of the line on the invoice, starting at 0.' })
  @PrimaryKey({ type: 'integer' })
  position!: number;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Service that was billed (`svc_…`), or the account (`acc_…`) if no service was billed.' })
  @Property({ type: 'text' })
  serviceId!: string;

  @Field(() => String, { description: 'Text of the line of the invoice.' })
  @Property({ type: 'text' })
  description!: string;

  @Field(() => Decimal, { description: 'Net amount that is given back.' })
  @Property({ type: MoneyType })
  net!: Decimal;
}
