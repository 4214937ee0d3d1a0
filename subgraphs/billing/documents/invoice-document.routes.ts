import { Readable } from 'node:stream';
import { create as dispositionOf } from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Rows } from '../../../kernel/database/database.ts';
import { InvalidParameters, ResourceNotFound } from '../../../kernel/errors/errors.ts';
import { SortOrder } from '../../../kernel/graphql/page.ts';
import { checkVersion } from '../../../kernel/http/api-version.ts';
import { heldTag } from '../../../kernel/http/entity-tags.ts';
import { sendError } from '../../../kernel/http/http.ts';
import { everyRecord } from '../../../kernel/lists/record-page.ts';
import type { RecordReader } from '../../../kernel/records/record-reader.ts';
import { isStorable, UNSTORABLE } from '../../../kernel/values/text.ts';
import type { Invoice } from '../invoices/invoice.entity.ts';
import { INVOICES, invoicesOf } from '../invoices/invoice-list.ts';
import { csvFilterIn } from './csv-query.ts';
import { INVOICE_CSV_HEADER, invoiceCsvLine } from './invoice-csv.ts';
import { documentTag, fileNameOf, type InvoiceDocuments } from './invoice-documents.ts';
import { INVOICES_CSV_PATH, invoicePdfPath } from './invoice-paths.ts';
import { invoicePdf } from './invoice-pdf.ts';

export interface InvoiceDownloads {
  rows: Rows;
  invoices: RecordReader<Invoice>;
  documents: InvoiceDocuments;
}

/** Serves invoices as PDF and as CSV. Requires that the edge has authenticated the request. */
export async function mountInvoiceDownloads(app: FastifyInstance, downloads: InvoiceDownloads): Promise<void> {
  await app.register((scope, _, done) => {
    scope.setErrorHandler(sendError);
    scope.get(invoicePdfPath(':id'), { config: { priority: 'high' } }, (request, reply) => sendPdf(downloads, request, reply));
    // it may read all invoices, so it counts as a large export
    const config = { category: 'export', priority: 'low' } as const;
    scope.get(INVOICES_CSV_PATH, { config }, (request, reply) => sendCsv(downloads, request, reply));
    done();
  });
}

/** Headers that make browsers save the file and never display it as a page of the platform. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  vary: 'Authorization, X-API-Key, API-Version',
};

function authorize({ caller, headers }: FastifyRequest): void {
  checkVersion(headers['api-version']);
  caller.principal.require('billing:read');
}

async function sendPdf({ documents }: InvoiceDownloads, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  authorize(request);
  const { id } = request.params as { id: string };
  // uses the message that other paths use for invalid ids
  if (!isStorable(id)) throw new InvalidParameters([{ field: 'invoice_id', reason: UNSTORABLE }]);
  const document = await documents.find(id, request.caller);
  if (!document) throw new ResourceNotFound('invoice', id);
  const etag = documentTag(document);
  // clients must revalidate a cached copy, so access is checked at every request
  reply.headers({ ...HEADERS, 'cache-control': 'private, no-cache', etag });
  if (heldTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const pdf = await invoicePdf(document);
  return reply
    .headers({
      'content-type': 'application/pdf',
      'content-length': pdf.length,
      'content-disposition': dispositionOf(fileNameOf(document)),
      'x-request-id': request.id,
    })
    .send(request.method === 'HEAD' ? Readable.from([]) : pdf);
}

async function sendCsv(downloads: InvoiceDownloads, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  authorize(request);
  const { principal, log } = request.caller;
  const filter = invoicesOf(principal, csvFilterIn(request.query as Record<string, unknown>));
  const isHead = request.method === 'HEAD';
  const { rows, invoices } = downloads;
  const list = { table: INVOICES, filter, sort: OLDEST_FIRST };
  const pages = everyRecord(list, rows, (ids) => invoices.byIds(principal, ids));
  const stream = Readable.from(isHead ? [] : csvOf(pages));
  // an error after the response has begun aborts the response, so the reason is only in the log
  stream.on('error', (error) => log.error({ err: error }, 'an export of invoices broke off'));
  return reply
    .headers({
      ...HEADERS,
      'cache-control': 'private, no-store',
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': dispositionOf('invoices.csv'),
      'x-request-id': request.id,
    })
    .send(stream);
}

/** Sort order of the CSV. Invoices that are issued during the download come last, so that the pages do not shift. */
const OLDEST_FIRST = ['createdAt', 'id'].map((field) => ({ field, order: SortOrder.ASC }));

/** Yields the CSV in large pieces. The next page is read after the client has received the previous page, so memory is bounded. */
async function* csvOf(pages: AsyncIterable<readonly Invoice[]>): AsyncGenerator<string> {
  yield INVOICE_CSV_HEADER;
  for await (const page of pages) yield page.map(invoiceCsvLine).join('');
}
