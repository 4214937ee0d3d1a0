import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { BillingContext } from '../context.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { invoicePdfPath } from './invoice-paths.ts';

@Resolver(() => Invoice)
export class InvoiceDocumentResolver {
  @FieldResolver(() => String, { description: 'URL of the invoice as PDF. The download requires credentials, like every request.' })
  pdfUrl(@Root() { id }: Invoice, @Ctx() { origin }: BillingContext): string {
    return `${origin}${invoicePdfPath(id)}`;
  }
}
