import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import type { BillingContext } from '../context.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { InvoiceDelivery } from './invoice-delivery.entity.ts';
import { SendInvoiceInput } from './invoice-delivery.inputs.ts';

@Resolver(() => Invoice)
export class InvoiceDeliveryResolver {
  @Mutation(() => InvoiceDelivery, {
    description:
      'Send an invoice by e-mail, with its PDF. An invoice can be sent several times. If an e-mail to the same address is still waiting, no other e-mail is sent, and the waiting e-mail is returned.',
  })
  @Requires('billing:write')
  sendInvoice(
    @Arg('id', () => ID, { description: 'Id of the invoice (`inv_…`).' }) id: string,
    @Arg('input', () => SendInvoiceInput, { nullable: true, description: 'How to send the invoice.' }) input: SendInvoiceInput | undefined,
    @Ctx() { invoiceDeliveries }: BillingContext,
  ): Promise<InvoiceDelivery> {
    return invoiceDeliveries.send(id, input?.to ?? null);
  }

  @FieldResolver(() => [InvoiceDelivery], { description: 'Newest e-mails with the invoice.' })
  @Requires('billing:read')
  deliveries(
    @Root() { id }: Invoice,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: BillingContext,
  ): Promise<InvoiceDelivery[]> {
    return loaders.deliveries.newest('invoiceId', id, relationLimit(limit));
  }
}
