import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import type { BillingContext } from '../context.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { Account } from '../references.ts';
import { CreditNote, CreditNoteLine } from './credit-note.entity.ts';
import { CreditInput, CreditNoteFilter, CreditNoteInput } from './credit-note.inputs.ts';

const CreditNotePage = pageOf('CreditNote', CreditNote);

@Resolver(() => CreditNote)
export class CreditNoteResolver {
  @Query(() => CreditNote, { nullable: true, description: 'Get a credit note by id. Null if it does not exist.' })
  @Requires('billing:read')
  creditNote(@Arg('id', () => ID) id: string, @Ctx() { credits }: BillingContext): Promise<CreditNote | null> {
    return credits.find(id);
  }

  @Query(() => CreditNotePage, { description: 'List credit notes, newest first.' })
  @Requires('billing:read')
  credits(
    @Arg('filter', () => CreditNoteFilter, { nullable: true }) filter: CreditNoteFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { credits }: BillingContext,
  ): Promise<Page<CreditNote>> {
    return credits.list(filter ?? {}, page ?? {});
  }

  @Mutation(() => CreditNote, {
    description:
      'Issue a credit note for an invoice, or for a part of it. It gives back the tax of its lines. It first reduces the unpaid amount of the invoice. The rest becomes credit of the account, and pays its open invoices, the oldest due date first.',
  })
  @Requires('billing:write', { secondFactor: true })
  createCreditNote(
    @Arg('input', () => CreditNoteInput, { description: 'Credit note to issue.' }) input: CreditNoteInput,
    @Ctx() { credits }: BillingContext,
  ): Promise<CreditNote> {
    return credits.create(input);
  }

  @Mutation(() => CreditNote, {
    description: 'Give an account credit without an invoice. It pays the open invoices of the account, the oldest due date first.',
  })
  @Requires('billing:write', { secondFactor: true })
  grantCredit(
    @Arg('accountId', () => ID, { description: 'Account that gets the credit (`acc_…`).' }) accountId: string,
    @Arg('input', () => CreditInput, { description: 'Credit to give.' }) input: CreditInput,
    @Ctx() { credits }: BillingContext,
  ): Promise<CreditNote> {
    return credits.grant(accountId, input);
  }

  @FieldResolver(() => [CreditNoteLine], {
    description: 'Amounts that the credit note gives back, in the order of the lines of the invoice. Empty for goodwill.',
  })
  lines(@Root() { id }: CreditNote, @Ctx() { loaders }: BillingContext): Promise<CreditNoteLine[]> {
    return loaders.creditNoteLines.of('creditNoteId', id, 'position');
  }

  @FieldResolver(() => Invoice, { nullable: true, description: 'Invoice that is corrected. Null for goodwill.' })
  @Requires('billing:read')
  invoice(@Root() { invoiceId }: CreditNote, @Ctx() { loaders }: BillingContext): Promise<Invoice | null> | null {
    return invoiceId === null ? null : loaders.invoices.load(invoiceId);
  }

  @FieldResolver(() => Account, { nullable: true, description: 'Account that gets the credit. Null if it no longer exists.' })
  account(@Root() { accountId }: CreditNote): Account {
    return { id: accountId };
  }
}

@Resolver(() => Invoice)
export class InvoiceCreditsResolver {
  @FieldResolver(() => [CreditNote], { description: 'Newest credit notes for the invoice.' })
  @Requires('billing:read')
  creditNotes(
    @Root() { id }: Invoice,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: BillingContext,
  ): Promise<CreditNote[]> {
    return loaders.creditNotes.newest('invoiceId', id, relationLimit(limit));
  }
}

@Resolver(() => Account)
export class AccountCreditsResolver {
  @FieldResolver(() => [CreditNote], { description: 'Newest credit notes of the account.' })
  @Requires('billing:read')
  credits(
    @Root() { id }: Account,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: BillingContext,
  ): Promise<CreditNote[]> {
    return loaders.creditNotes.newest('accountId', id, relationLimit(limit));
  }
}
