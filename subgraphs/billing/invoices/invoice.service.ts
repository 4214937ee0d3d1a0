import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Rows } from '../../../kernel/database/database.ts';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import { isNewest, recordPage } from '../../../kernel/lists/record-page.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { Counters } from '../../../kernel/tally/counters.ts';
import { type Billable, type BillableService, findBillable } from './billable-services.ts';
import { Invoice } from './invoice.entity.ts';
import { invoiceCreated } from './invoice.events.ts';
import type { InvoiceCreateInput, InvoiceFilter, InvoiceLineInput, InvoiceUpdateInput } from './invoice.inputs.ts';
import { changeInvoice } from './invoice-change.ts';
import { defaultDueDate, type InvoiceDraft, issueInvoice, type LineDraft, payIfNothingIsDue } from './invoice-issue.ts';
import type { InvoiceLine } from './invoice-line.entity.ts';
import { INVOICES, invoicesOf } from './invoice-list.ts';
import { DEFAULT_CURRENCY } from './invoice-pricing.ts';
import type { InvoiceTax } from './invoice-tax.entity.ts';
import { writeOff } from './invoice-write-off.ts';

export interface InvoiceServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  rows: Rows;
  counters: Counters;
  loader: RecordLoader<Invoice>;
  lines: RecordLoader<InvoiceLine>;
  taxes: RecordLoader<InvoiceTax>;
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
    const { em, clock, lines, taxes } = this.deps;
    const now = clock.now();
    const draft = this.#draft(input, await this.#billable(input), now);
    return em.transactional(async (tx) => {
      const issued = await issueInvoice(tx, draft, now);
      await record(tx, invoiceCreated(issued));
      await payIfNothingIsDue(tx, issued, now);
      lines.keepOf('invoiceId', issued.invoice.id, issued.lines, 'position');
      taxes.keepOf('invoiceId', issued.invoice.id, issued.taxes, 'position');
      return issued.invoice;
    });
  }

  /**
   * Changes or cancels an invoice.
   * @throws ResourceNotFound, StaleResource, InvoiceNotChangeable, InvalidState
   * @throws InvalidParameters if a service belongs to another account, or a price does not fit the currency
   */
  async update(id: string, { services, ...input }: InvoiceUpdateInput, expectedRevision?: number | null): Promise<Invoice> {
    const { em, clock, loader } = this.deps;
    const { accountId } = orNotFound(await loader.load(id), 'invoice', id);
    const lines = services && draftsOf(services, (await this.#billable({ accountId, services })).services);
    return em.transactional(
      async (tx) => {
        const invoice = orNotFound(await tx.findOne(Invoice, { id }, LOCKED), 'invoice', id);
        requireRevision(invoice, expectedRevision);
        await changeInvoice(tx, invoice, { ...input, lines }, clock.now());
        return invoice;
      },
      { clear: true },
    );
  }

  /**
   * Writes off the unpaid amount of an invoice.
   * @throws ResourceNotFound, InvoiceNotChangeable
   */
  writeOff(id: string, reason: string): Promise<Invoice> {
    const { em, clock } = this.deps;
    return em.transactional(
      async (tx) => {
        const invoice = orNotFound(await tx.findOne(Invoice, { id }, LOCKED), 'invoice', id);
        await writeOff(tx, invoice, reason, clock.now());
        return invoice;
      },
      { clear: true },
    );
  }

  /** Returns an invoice; null if the caller's organization does not have it. */
  find(id: string): Promise<Invoice | null> {
    return this.deps.loader.load(id);
  }

  /**
   * Lists invoices, newest first by default. The total is exact, and neither the page nor the total reads all invoices.
   * @throws InvalidParameters for a cursor of another list
   */
  async list(filter: InvoiceFilter, sort: SortBy[], page: PageInput): Promise<Page<Invoice>> {
    const { counters, loader: records, request, rows } = this.deps;
    const asked = sort.length > 0 ? sort : NEWEST_FIRST;
    const order = [...asked, { field: 'id', order: asked.at(-1)?.order ?? SortOrder.DESC }];
    const wanted = invoicesOf(request.principal, filter);
    const source = { rows, records, total: () => counters.total(wanted), isNewest: isNewest(filter, sort, page) };
    return recordPage({ table: INVOICES, filter: wanted, sort: order }, source, page);
  }

  /**
   * Reads the account and the services to bill.
   * @throws InvalidParameters if a service belongs to another account, because an invoice is for one account
   */
  async #billable({ accountId, services }: Pick<InvoiceCreateInput, 'accountId' | 'services'>): Promise<Billable> {
    const { graph, request } = this.deps;
    const found = await findBillable(graph, request, { accountId, serviceIds: services.map(({ serviceId }) => serviceId) });
    const problems = services.flatMap(({ serviceId }, index): FieldProblem[] => {
      const isOfAccount = found.services.get(serviceId)?.accountId === accountId;
      return isOfAccount ? [] : [{ field: `services.${index}.serviceId`, value: serviceId, reason: `is not a service of ${accountId}` }];
    });
    refuse(problems);
    return found;
  }

  #draft({ currency, dueDate, notes, services: lines }: InvoiceCreateInput, { customer, services }: Billable, now: Date): InvoiceDraft {
    return {
      organizationId: this.deps.request.principal.organizationId,
      customer,
      currency: currency ?? DEFAULT_CURRENCY,
      dueDate: dueDate ?? defaultDueDate(now),
      notes: notes ?? null,
      source: null,
      lines: draftsOf(lines, services),
    };
  }
}

const draftsOf = (lines: readonly InvoiceLineInput[], found: Map<string, BillableService>): LineDraft[] =>
  lines.map(({ serviceId, quantity, unitPrice }) => {
    const { name, catalogService } = orNotFound(found.get(serviceId), 'service', serviceId);
    return { serviceId, description: name, category: catalogService.category, quantity, unitPrice };
  });
