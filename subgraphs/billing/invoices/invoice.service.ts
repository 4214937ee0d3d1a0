import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { between, matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { type BillableService, findBillable } from './billable-services.ts';
import { Invoice } from './invoice.entity.ts';
import { invoiceCreated } from './invoice.events.ts';
import type { InvoiceCreateInput, InvoiceFilter } from './invoice.inputs.ts';
import { defaultDueDate, type InvoiceDraft, issueInvoice } from './invoice-issue.ts';
import type { InvoiceLine } from './invoice-line.entity.ts';
import { DEFAULT_CURRENCY } from './invoice-pricing.ts';

export interface InvoiceServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  loader: RecordLoader<Invoice>;
  lines: RecordLoader<InvoiceLine>;
}

/** Manages the invoices of the caller's organization (specification 2.6, 3.2, 4.5). */
export class InvoiceService {
  constructor(private readonly deps: InvoiceServiceDeps) {}

  /**
   * Creates an invoice.
   * @throws InvalidParameters if a service belongs to another account
   * @throws ResourceNotFound if the organization does not have the account or a service
   */
  async create(input: InvoiceCreateInput): Promise<Invoice> {
    const { em, clock, lines } = this.deps;
    const now = clock.now();
    const draft = this.#draft(input, await this.#billable(input), now);
    return em.transactional(async (tx) => {
      const issued = await issueInvoice(tx, draft, now);
      await record(tx, invoiceCreated(issued));
      lines.keepOf('invoiceId', issued.invoice.id, issued.lines, 'position');
      return issued.invoice;
    });
  }

  /** Returns an invoice; null if the caller's organization does not have it. */
  find(id: string): Promise<Invoice | null> {
    return this.deps.loader.load(id);
  }

  async list(filter: InvoiceFilter, sort: SortBy[], page: PageInput): Promise<Page<Invoice>> {
    const { accountId, status, dateFrom, dateTo } = filter;
    const where = matching<Invoice>({ accountId, status, createdAt: between(dateFrom, dateTo) });
    return listPage(this.deps.em, Invoice, { where, sort, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Loads the services to bill.
   * @throws InvalidParameters if a service belongs to another account, because an invoice is for one account
   */
  async #billable({ accountId, services }: InvoiceCreateInput): Promise<Map<string, BillableService>> {
    const { graph, request } = this.deps;
    const found = await findBillable(graph, request, { accountId, serviceIds: services.map(({ serviceId }) => serviceId) });
    const problems = services.flatMap(({ serviceId }, index): FieldProblem[] => {
      const isOfAccount = found.get(serviceId)?.accountId === accountId;
      return isOfAccount ? [] : [{ field: `services.${index}.serviceId`, value: serviceId, reason: `is not a service of ${accountId}` }];
    });
    refuse(problems);
    return found;
  }

  #draft(
    { accountId, currency, dueDate, notes, services }: InvoiceCreateInput,
    found: Map<string, BillableService>,
    now: Date,
  ): InvoiceDraft {
    return {
      organizationId: this.deps.request.principal.organizationId,
      accountId,
      currency: currency ?? DEFAULT_CURRENCY,
      dueDate: dueDate ?? defaultDueDate(now),
      notes: notes ?? null,
      source: null,
      lines: services.map(({ serviceId, quantity, unitPrice }) => ({
        serviceId,
        description: found.get(serviceId)?.name ?? serviceId,
        quantity,
        unitPrice,
      })),
    };
  }
}
