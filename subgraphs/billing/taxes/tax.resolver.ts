import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { BillingContext } from '../context.ts';
import { TaxExemptionInput, TaxRateInput, TaxRateUpdateInput } from './tax.inputs.ts';
import { TaxExemption } from './tax-exemption.entity.ts';
import { TaxRate } from './tax-rate.entity.ts';

const TaxRatePage = pageOf('TaxRate', TaxRate);

@Resolver(() => TaxRate)
export class TaxRateResolver {
  @Query(() => TaxRatePage, { description: 'List the tax rates of the organization, newest first.' })
  @Requires('billing:read', { scope: 'organization' })
  taxRates(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { taxes }: BillingContext,
  ): Promise<Page<TaxRate>> {
    return taxes.list(page ?? {});
  }

  @Query(() => TaxExemption, { nullable: true, description: 'Get the tax exemption of an account. Null if the account pays tax.' })
  @Requires('billing:read')
  taxExemption(
    @Arg('accountId', () => ID, { description: 'Account (`acc_…`).' }) accountId: string,
    @Ctx() { loaders }: BillingContext,
  ): Promise<TaxExemption | null> {
    return loaders.taxExemptions.one('accountId', accountId);
  }

  @Mutation(() => TaxRate, {
    description:
      'Create a tax rate. Invoices that are issued from now on contain the tax, if the address of the customer and the category of the service match. All matching rates are due, each on the net amount.',
  })
  @Requires('billing:admin', { scope: 'organization' })
  createTaxRate(
    @Arg('input', () => TaxRateInput, { description: 'Tax rate to create.' }) input: TaxRateInput,
    @Ctx() { taxes }: BillingContext,
  ): Promise<TaxRate> {
    return taxes.create(input);
  }

  @Mutation(() => TaxRate, {
    description:
      'Change the name of a tax rate, or end it. To change the percentage, end the rate and create another rate. Issued invoices never change.',
  })
  @Requires('billing:admin', { scope: 'organization' })
  updateTaxRate(
    @Arg('id', () => ID, { description: 'Id of the tax rate (`tax_…`).' }) id: string,
    @Arg('input', () => TaxRateUpdateInput, { description: 'New values. Omit a field to keep its value.' }) input: TaxRateUpdateInput,
    @Ctx() { taxes }: BillingContext,
  ): Promise<TaxRate> {
    return taxes.update(id, input);
  }

  @Mutation(() => TaxExemption, {
    nullable: true,
    description:
      'State why an account pays no tax. Its new invoices contain the reason and the tax number. Null as `input` removes the exemption.',
  })
  @Requires('billing:admin')
  setTaxExemption(
    @Arg('accountId', () => ID, { description: 'Account (`acc_…`).' }) accountId: string,
    @Arg('input', () => TaxExemptionInput, { nullable: true, description: 'The exemption. Null removes it.' })
    input: TaxExemptionInput | null | undefined,
    @Ctx() { taxes }: BillingContext,
  ): Promise<TaxExemption | null> {
    return taxes.setExemption(accountId, input ?? null);
  }
}
