import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { between, matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { findCustomers } from '../customers/customer.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { InvoiceLine } from '../invoices/invoice-line.entity.ts';
import { CreditNote } from './credit-note.entity.ts';
import type { CreditInput, CreditNoteFilter, CreditNoteInput } from './credit-note.inputs.ts';
import { CreditCause } from './credit-note.states.ts';
import { grantGoodwill, issueCreditNote, leftOf } from './credit-notes.ts';

export interface CreditNoteServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  loader: RecordLoader<CreditNote>;
}

/** Issues credit notes and gives accounts credit. */
export class CreditNoteService {
  constructor(private readonly deps: CreditNoteServiceDeps) {}

  /**
   * Issues a credit note for an invoice, or for a part of it.
   * @throws ResourceNotFound, InvalidParameters, InvoiceNotChangeable
   */
  create({ invoiceId, lines, reason }: CreditNoteInput): Promise<CreditNote> {
    const { em, clock } = this.deps;
    return em.transactional(
      async (tx) => {
        const invoice = orNotFound(await tx.findOne(Invoice, { id: invoiceId }, LOCKED), 'invoice', invoiceId);
        const wanted = lines ?? leftOf(await tx.find(InvoiceLine, { invoiceId }, { orderBy: { position: 'asc' } }));
        return issueCreditNote(tx, { invoice, cause: CreditCause.MANUAL, lines: wanted, reason }, clock.now());
      },
      { clear: true },
    );
  }

  /**
   * Gives an account credit without an invoice.
   * @throws ResourceNotFound
   */
  async grant(accountId: string, { amount, currency, reason }: CreditInput): Promise<CreditNote> {
    const { em, clock, graph, request } = this.deps;
    orNotFound((await findCustomers(graph, request, [accountId])).get(accountId), 'account', accountId);
    const { organizationId } = request.principal;
    return em.transactional((tx) => grantGoodwill(tx, { organizationId, accountId, currency, amount, reason }, clock.now()), {
      clear: true,
    });
  }

  find(id: string): Promise<CreditNote | null> {
    return this.deps.loader.load(id);
  }

  list({ accountId, invoiceId, cause, dateFrom, dateTo }: CreditNoteFilter, page: PageInput): Promise<Page<CreditNote>> {
    const where = matching<CreditNote>({ accountId, invoiceId, cause, createdAt: between(dateFrom, dateTo) });
    return listPage(this.deps.em, CreditNote, { where, sort: [], page, defaultSort: NEWEST_FIRST });
  }
}
