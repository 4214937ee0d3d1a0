import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import type { BillingContext } from '../context.ts';
import { Account, billedService, Service } from '../references.ts';
import { Invoice } from './invoice.entity.ts';
import { InvoiceCreateInput, InvoiceFilter, InvoiceSort, InvoiceUpdateInput, WriteOffInput } from './invoice.inputs.ts';
import { InvoiceLine } from './invoice-line.entity.ts';
import { InvoiceTax } from './invoice-tax.entity.ts';

/** Key by which a loader finds the invoices of a service: the `serviceId` of the invoice lines. */
const ON_LINE = { child: InvoiceLine, owner: 'invoiceId', property: 'serviceId' };
const InvoicePage = pageOf('Invoice', Invoice);

@Resolver(() => Invoice)
export class InvoiceResolver {
  @Query(() => Invoice, { nullable: true, description: 'Get an invoice by id. Null if it does not exist.' })
  @Requires('billing:read')
  invoice(@Arg('id', () => ID) id: string, @Ctx() { invoices }: BillingContext): Promise<Invoice | null> {
    return invoices.find(id);
  }

  @Query(() => InvoicePage, { description: 'List invoices, newest first.' })
  @Requires('billing:read')
  invoices(
    @Arg('filter', () => InvoiceFilter, { nullable: true }) filter: InvoiceFilter | undefined,
    @Arg('sort', () => [InvoiceSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { invoices }: BillingContext,
  ): Promise<Page<Invoice>> {
    return invoices.list(filter ?? {}, sort ?? [], page ?? {});
  }

  @Mutation(() => Invoice, { description: 'Create an invoice for services of one account. Services of another account are rejected.' })
  @Requires('billing:create')
  createInvoice(@Arg('input', () => InvoiceCreateInput) input: InvoiceCreateInput, @Ctx() { invoices }: BillingContext): Promise<Invoice> {
    return invoices.create(input);
  }

  @Mutation(() => Invoice, {
    description:
      'Change an invoice, or cancel it. Lines can be changed only if a request created the invoice, it is pending and was not sent yet, and nothing was paid. A cancelled invoice keeps its number.',
  })
  @Requires('billing:write')
  updateInvoice(
    @Arg('id', () => ID, { description: 'Id of the invoice (`inv_…`).' }) id: string,
    @Arg('input', () => InvoiceUpdateInput, { description: 'New values. Omit a field to keep its value.' }) input: InvoiceUpdateInput,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { invoices }: BillingContext,
  ): Promise<Invoice> {
    return invoices.update(id, input, expectedRevision);
  }

  @Mutation(() => Invoice, {
    description:
      'Write off the unpaid amount of an invoice, because nobody will pay it. The invoice becomes cancelled. Money that arrives later becomes credit of the account.',
  })
  @Requires('billing:write', { secondFactor: true })
  writeOffInvoice(
    @Arg('id', () => ID, { description: 'Id of the invoice (`inv_…`).' }) id: string,
    @Arg('input', () => WriteOffInput, { description: 'Why the invoice is written off.' }) { reason }: WriteOffInput,
    @Ctx() { invoices }: BillingContext,
  ): Promise<Invoice> {
    return invoices.writeOff(id, reason);
  }

  @FieldResolver(() => [InvoiceTax], { description: 'The tax of each rate. Empty if no rate applies.' })
  taxes(@Root() { id }: Invoice, @Ctx() { loaders }: BillingContext): Promise<InvoiceTax[]> {
    return loaders.invoiceTaxes.of('invoiceId', id, 'position');
  }

  @FieldResolver(() => [InvoiceLine], { description: 'Lines of the invoice, in order.' })
  services(@Root() { id }: Invoice, @Ctx() { loaders }: BillingContext): Promise<InvoiceLine[]> {
    return loaders.lines.of('invoiceId', id, 'position');
  }

  @FieldResolver(() => Account, { nullable: true, description: 'Account that owes the amount. Null if it no longer exists.' })
  account(@Root() { accountId }: Invoice): Account {
    return { id: accountId };
  }
}

@Resolver(() => InvoiceLine)
export class InvoiceLineResolver {
  @FieldResolver(() => Service, {
    nullable: true,
    description: 'Service that is billed. Null if there is none, or if it no longer exists.',
  })
  service(@Root() { serviceId }: InvoiceLine): Service | null {
    return billedService(serviceId);
  }
}

@Resolver(() => Account)
export class AccountInvoicesResolver {
  @FieldResolver(() => [Invoice], { description: 'Newest invoices of the account.' })
  @Requires('billing:read')
  invoices(
    @Root() { id }: Account,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: BillingContext,
  ): Promise<Invoice[]> {
    return loaders.invoices.newest('accountId', id, relationLimit(limit));
  }
}

@Resolver(() => Service)
export class ServiceInvoicesResolver {
  @FieldResolver(() => [Invoice], { description: 'Newest invoices with a line for the service.' })
  @Requires('billing:read')
  invoices(
    @Root() { id }: Service,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: BillingContext,
  ): Promise<Invoice[]> {
    return loaders.invoices.newest(ON_LINE, id, relationLimit(limit));
  }
}
