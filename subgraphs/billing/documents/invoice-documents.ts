import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { entityTag } from '../../../kernel/http/entity-tags.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import type { RecordReader } from '../../../kernel/records/record-reader.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { billToOf, findCustomers, findSellerName } from '../customers/customer.ts';
import { sellerOf } from '../invoice-settings/seller-snapshot.ts';
import type { Invoice } from '../invoices/invoice.entity.ts';
import type { InvoiceLine } from '../invoices/invoice-line.entity.ts';
import type { InvoiceTax } from '../invoices/invoice-tax.entity.ts';
import { documentOf, type InvoiceParts } from './document-of.ts';
import type { InvoiceDocument } from './invoice-document.ts';

export interface InvoiceDocumentsDeps {
  orm: Orm;
  graph: Graph;
  invoices: RecordReader<Invoice>;
  lines: RecordReader<InvoiceLine>;
  invoiceTaxes: RecordReader<InvoiceTax>;
}

/** Maximum number of attempts to read an invoice consistently. It is read again if it changes during the reading. */
const READS = 5;

/** Version of the PDF layout. Raise it with each change of the layout, because the change also affects the bytes of existing invoices. */
const LAYOUT = 1;

/**
 * Reads invoices as documents. A document shows only values that are stored with the invoice, so it changes only if the
 * invoice changes.
 */
export class InvoiceDocuments {
  constructor(private readonly deps: InvoiceDocumentsDeps) {}

  /** Returns the document of an invoice; null if the caller does not see the invoice. Do not call it inside a transaction. */
  async find(id: string, request: RequestContext): Promise<InvoiceDocument | null> {
    const { principal } = request;
    let invoice = await this.#invoice(principal, id);
    for (let read = 1; invoice; read++) {
      const parts = await this.#partsOf(invoice, principal);
      const after = await this.#invoice(principal, id);
      if (after?.revision === invoice.revision || read === READS)
        return documentOf({ invoice, ...parts, present: await this.#presentOf(invoice, request) });
      invoice = after;
    }
    return null;
  }

  async #invoice(scope: RecordScope, id: string): Promise<Invoice | null> {
    return (await this.deps.invoices.byIds(scope, [id]))[0] ?? null;
  }

  async #partsOf({ id }: Invoice, scope: RecordScope): Promise<Pick<InvoiceParts, 'lines' | 'taxes'>> {
    const [[lines = []], [taxes = []]] = await Promise.all([
      this.deps.lines.of(scope, 'invoiceId', [id], ['position']),
      this.deps.invoiceTaxes.of(scope, 'invoiceId', [id], ['position']),
    ]);
    return { lines, taxes: taxes.map(({ name, percent: rate, taxable, amount, reason }) => ({ name, rate, taxable, amount, reason })) };
  }

  /** Returns the current seller and customer, for an invoice of an earlier release, which did not store them. */
  async #presentOf({ seller, billTo, accountId }: Invoice, request: RequestContext): Promise<InvoiceParts['present']> {
    if (seller && billTo) return null;
    const { orm, graph } = this.deps;
    const { organizationId } = request.principal;
    const [customers, name] = await Promise.all([findCustomers(graph, request, [accountId]), findSellerName(graph, request)]);
    const customer = customers.get(accountId);
    return {
      seller: await sellerOf(organizationEm(orm, organizationId), organizationId, name),
      billTo: customer ? billToOf(customer, null) : { name: accountId, address: [], taxId: null },
    };
  }
}

/** Returns the strong entity tag of the PDF of a document, without creating the PDF. */
export const documentTag = (document: InvoiceDocument): string => entityTag(JSON.stringify([LAYOUT, document]));

/** Returns the file name of the PDF of an invoice, which contains the invoice number. */
export const fileNameOf = ({ number }: Pick<InvoiceDocument, 'number'>): string => `${number}.pdf`;
