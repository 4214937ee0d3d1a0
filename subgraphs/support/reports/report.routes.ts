import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { PlatformError, ResourceNotFound } from '../../../kernel/errors/errors.ts';
import type { FileStore } from '../../../kernel/files/files.ts';
import { checkVersion } from '../../../kernel/http/api-version.ts';
import { sendError } from '../../../kernel/http/http.ts';
import { fileKeyOf, type Report } from './report.entity.ts';
import { ReportFormat } from './report.values.ts';
import type { ReportLinks } from './report-links.ts';
import { reportFilePath } from './report-paths.ts';

export interface ReportDownloads {
  rows: Rows;
  files: FileStore;
  links: ReportLinks;
  clock: Clock;
}

/**
 * Serves report files. A valid signed URL is the only credential. Must be mounted behind the edge, which admits or
 * rejects requests.
 */
export async function mountReportDownloads(app: FastifyInstance, downloads: ReportDownloads): Promise<void> {
  await app.register((scope, _, done) => {
    scope.setErrorHandler(sendError);
    scope.get(reportFilePath(':id'), { config: { access: 'public' } }, (request, reply) => download(downloads, request, reply));
    done();
  });
}

/**
 * Headers that make browsers save the file, and forbid caching, so that no cache returns the file after the URL
 * expires.
 */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
};

async function download(
  { rows, files, links, clock }: ReportDownloads,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  checkVersion(request.headers['api-version']);
  const { id } = request.params as { id: string };
  const { expires, signature } = request.query as Record<string, unknown>;
  if (!links.isValid(id, { expires: String(expires), signature: String(signature) }, clock.now()))
    throw new PlatformError('INSUFFICIENT_PERMISSIONS', 'This URL has expired or is incomplete. Get the report to obtain a new one.', {
      required: 'support:read',
    });
  const report = await find(rows, id);
  const file = report && (await files.open(fileKeyOf(report)));
  if (!report || !file) throw new ResourceNotFound('support_report', id);
  const isCsv = report.parameters.format === ReportFormat.CSV;
  file.stream.on('error', (error) => request.log.error({ err: error, report: id }, 'a download broke off'));
  if (request.method === 'HEAD') file.stream.destroy();
  return reply
    .headers({
      ...HEADERS,
      'content-type': isCsv ? 'text/csv; charset=utf-8; header=present' : 'application/json; charset=utf-8',
      'content-length': file.size,
      'content-disposition': `attachment; filename="${id}.${isCsv ? 'csv' : 'json'}"`,
      'x-request-id': request.id,
    })
    .send(request.method === 'HEAD' ? Readable.from([]) : file.stream);
}

/** Finds a report of any organization, because the signed URL authorizes the access. */
async function find(rows: Rows, id: string): Promise<Report | undefined> {
  const [row] = await rows.query<{ organization_id: string; parameters: Report['parameters'] }>(
    `select "organization_id", "parameters" from "support"."report" where "id" = $1 and "status" = 'ready'`,
    [id],
  );
  return row && ({ id, organizationId: row.organization_id, parameters: asObject(row.parameters) } as Report);
}

/** Parses JSON, unless the database driver has parsed it already. */
const asObject = (value: Report['parameters'] | string): Report['parameters'] => (typeof value === 'string' ? JSON.parse(value) : value);
