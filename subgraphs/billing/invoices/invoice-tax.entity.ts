import { Check, Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { Invoice } from './invoice.entity.ts';

/** The tax of one rate on an invoice, or the lines of the invoice that are exempt. Later changes of the rate do not change it. */
@ObjectType({ description: 'The tax of one rate on an invoice. Later changes of the rate do not change it.' })
@Entity({ tableName: 'invoice_tax' })
@OrganizationFilter({ account: { by: 'invoiceId', of: 'Invoice' } })
@Check({ name: 'invoice_tax_amount_check', expression: `"amount" >= 0 and "taxable" >= 0` })
@Check({
  name: 'invoice_tax_credited_check',
  expression: `"taxable_credited" >= 0 and "taxable_credited" <= "taxable"
       and "amount_credited" >= 0 and "amount_credited" <= "amount"`,
})
export class InvoiceTax {
  @ManyToOne(() => Invoice, { primary: true, mapToPk: true, fieldName: 'invoice_id', type: 'text' })
  invoiceId!: string;

  /** Position on the invoice, starting at 0. */
  @PrimaryKey({ type: 'integer' })
  position!: number;

  @Property({ type: 'text' })
  organizationId!: string;

  /** Tax rate. Null if the lines are exempt. */
  @Property({ type: 'text', nullable: true })
  rateId: string | null = null;

  @Field(() => String, { description: 'Name of the tax, such as `VAT`. `Exempt` if no tax is due.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => Decimal, { description: 'Percentage of the net amount: 20 for 20 %.' })
  @Property({ type: MoneyType })
  percent!: Decimal;

  @Field(() => Decimal, { description: 'Sum of the lines to which the tax applies, in the currency of the invoice.' })
  @Property({ type: MoneyType })
  taxable!: Decimal;

  @Field(() => Decimal, { description: 'Tax on `taxable`, rounded once.' })
  @Property({ type: MoneyType })
  amount!: Decimal;

  @Field(() => String, { nullable: true, description: 'Why no tax is due, such as `Reverse charge`. Null if tax is due.' })
  @Property({ type: 'text', nullable: true })
  reason: string | null = null;

  /** Part of `taxable` that credit notes have given back. */
  @Property({ type: MoneyType, default: '0' })
  taxableCredited: Decimal = new Decimal(0);

  /** Part of `amount` that credit notes have given back. */
  @Property({ type: MoneyType, default: '0' })
  amountCredited: Decimal = new Decimal(0);

  /** Returns true if this tax or exemption applies to the line. */
  appliesTo({ taxRateIds }: { taxRateIds: readonly string[] }): boolean {
    return this.rateId === null || taxRateIds.includes(this.rateId);
  }
}
