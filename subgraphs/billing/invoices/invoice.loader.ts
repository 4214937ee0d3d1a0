import DataLoader from 'dataloader';
import type { Attached } from '../../../kernel/database/database.ts';
import { RowMapper } from '../../../kernel/records/row-mapper.ts';
import { Invoice } from './invoice.entity.ts';
import { InvoiceLine } from './invoice-line.entity.ts';

/** How lines, and the invoices that name a service, are read: prepared once. */
export class InvoiceRelationReader {
  readonly #rows: Attached['rows'];
  readonly #schema: string;
  readonly #toInvoice: RowMapper<Invoice>;
  readonly #toLine: RowMapper<InvoiceLine>;

  constructor({ orm, rows }: Attached) {
    const platform = orm.em.getPlatform();
    this.#rows = rows;
    this.#schema = orm.config.getAll().schema as string;
    this.#toInvoice = new RowMapper(orm.getMetadata().get<Invoice>(Invoice), platform);
    this.#toLine = new RowMapper(orm.getMetadata().get<InvoiceLine>(InvoiceLine), platform);
  }

  /** The batched reads of one request. */
  forOrganization(organizationId: string): InvoiceRelations {
    return new InvoiceRelations(this, organizationId);
  }

  /** The lines of each invoice in their order, in one statement. */
  async linesOf(organizationId: string, invoiceIds: readonly string[]): Promise<InvoiceLine[][]> {
    const rows = await this.#rows.tuples(
      `select ${this.#toLine.columns('l')} from "${this.#schema}"."invoice_line" l where "organization_id" = $1 and "invoice_id" = any($2) order by "invoice_id", "position"`,
      [organizationId, invoiceIds],
    );
    const byInvoice = new Map<string, InvoiceLine[]>(invoiceIds.map((id) => [id, []]));
    for (const line of rows.map((row) => this.#toLine.read(row))) byInvoice.get(line.invoiceId)?.push(line);
    return invoiceIds.map((id) => byInvoice.get(id) ?? []);
  }

  /** The newest `limit` invoices with a line for each service, in one statement. */
  async newestOfServices(organizationId: string, serviceIds: readonly string[], limit: number): Promise<Invoice[][]> {
    const rows = await this.#rows.tuples(
      `select k.key, ${this.#toInvoice.columns('i')} from unnest($1::text[]) as k(key) cross join lateral (
         select i.* from "${this.#schema}"."invoice" i
         where i."organization_id" = $2 and i."id" in (
           select l."invoice_id" from "${this.#schema}"."invoice_line" l where l."organization_id" = $2 and l."service_id" = k.key
         )
         order by i."created_at" desc, i."id" desc limit $3
       ) i`,
      [serviceIds, organizationId, limit],
    );
    const byService = new Map<string, Invoice[]>(serviceIds.map((id) => [id, []]));
    for (const row of rows) byService.get(String(row[0]))?.push(this.#toInvoice.read(row, 1));
    return serviceIds.map((id) => byService.get(id) ?? []);
  }
}

/** Batched reads of one request: the lines of invoices, and the invoices of services. */
export class InvoiceRelations {
  readonly #lines: DataLoader<string, InvoiceLine[]>;
  readonly #ofService = new Map<number, DataLoader<string, Invoice[]>>();

  constructor(
    private readonly reader: InvoiceRelationReader,
    private readonly organizationId: string,
  ) {
    this.#lines = new DataLoader((ids) => reader.linesOf(organizationId, ids));
  }

  linesOf(invoiceId: string): Promise<InvoiceLine[]> {
    return this.#lines.load(invoiceId);
  }

  /** Keeps what a change has just written, so that answering with it reads nothing. */
  keepLines(invoiceId: string, lines: InvoiceLine[]): void {
    this.#lines.prime(invoiceId, lines);
  }

  /** The newest `limit` invoices on which a service stands; one statement for all services asked for together. */
  newestOfService(serviceId: string, limit: number): Promise<Invoice[]> {
    let loader = this.#ofService.get(limit);
    if (!loader) {
      loader = new DataLoader((ids) => this.reader.newestOfServices(this.organizationId, ids, limit));
      this.#ofService.set(limit, loader);
    }
    return loader.load(serviceId);
  }
}
