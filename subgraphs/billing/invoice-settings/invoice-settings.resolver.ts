import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import type { BillingContext } from '../context.ts';
import { InvoiceSettings } from './invoice-settings.entity.ts';
import { InvoiceSettingsInput } from './invoice-settings.inputs.ts';

@Resolver(() => InvoiceSettings)
export class InvoiceSettingsResolver {
  @Query(() => InvoiceSettings, { description: 'Get the information about the seller on your invoices.' })
  @Requires('billing:read', { scope: 'organization' })
  invoiceSettings(@Ctx() { invoiceSettings }: BillingContext): Promise<InvoiceSettings> {
    return invoiceSettings.find();
  }

  @Mutation(() => InvoiceSettings, {
    description:
      'Change the information about the seller on your invoices. Only invoices that are issued afterwards show the change, because an issued invoice is a legal document.',
  })
  @Requires('billing:admin', { scope: 'organization', secondFactor: true })
  updateInvoiceSettings(
    @Arg('input', () => InvoiceSettingsInput, { description: 'New values. Omit a field to keep its value.' }) input: InvoiceSettingsInput,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { invoiceSettings }: BillingContext,
  ): Promise<InvoiceSettings> {
    return invoiceSettings.update(input, expectedRevision);
  }
}
