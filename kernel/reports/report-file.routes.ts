import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Orm } from '../database/database.ts';
import { PlatformError, ResourceNotFound } from '../errors/errors.ts';
import type { FileStore } from '../files/files.ts';
import { checkVersion } from '../http/api-version.ts';
import { sendError } from '../http/http.ts';
import { EVERYWHERE } from '../records/organization-filter.ts';
import { ReportStatus } from './report.states.ts';
import type { ReportDefinition } from './report-definition.ts';
import { fileKeyOf, fileNameOf, mediaTypeOf } from './report-file.ts';
import type { ReportLinks } from './report-links.ts';
import type { ReportRecord } from './report-record.ts';

export interface ReportDownloads {
  orm: Orm;
  files: FileStore;
  links: ReportLinks;
  clock: Clock;
  definition: Pick<ReportDefinition<ReportRecord>, 'entity' | 'pathOf' | 'permission' | 'resource'>;
}

/**
 * Serves report files. A valid signed URL is the only credential. Must be mounted behind the edge, which admits or
 * rejects requests.
 */
export async function mountReportDownloads(app: FastifyInstance, downloads: ReportDownloads): Promise<void> {
  await app.register((scope, _, done) => {
    scope.setErrorHandler(sendError);
    scope.get(downloads.definition.pathOf(':id'), { config: { access: 'public' } }, (request, reply) =>
      download(downloads, request, reply),
    );
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
  { orm, files, links, clock, definition }: ReportDownloads,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  checkVersion(request.headers['api-version']);
  const { id } = request.params as { id: string };
  const { expires, signature } = request.query as Record<string, unknown>;
  if (!links.isValid(id, { expires: String(expires), signature: String(signature) }, clock.now()))
    throw new PlatformError('INSUFFICIENT_PERMISSIONS', 'This URL has expired or is incomplete. Get the report to obtain a new one.', {
      required: definition.permission,
    });
  // the signed URL authorizes the access, whatever organization the report belongs to
  const report = await orm.em.fork().findOne<ReportRecord>(definition.entity, { id, status: ReportStatus.READY }, EVERYWHERE);
  const file = report && (await files.open(fileKeyOf(report)));
  if (!report || !file) throw new ResourceNotFound(definition.resource, id);
  file.stream.on('error', (error) => request.log.error({ err: error, report: id }, 'a download broke off'));
  if (request.method === 'HEAD') file.stream.destroy();
  return reply
    .headers({
      ...HEADERS,
      'content-type': mediaTypeOf(report),
      'content-length': file.size,
      'content-disposition': `attachment; filename="${fileNameOf(report)}"`,
      'x-request-id': request.id,
    })
    .send(request.method === 'HEAD' ? Readable.from([]) : file.stream);
}
