import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../../kernel/access/principal.ts';
import { InvalidParameters, LimitedToAccounts, ResourceNotFound, SecondFactorRequired } from '../../../kernel/errors/errors.ts';
import { checkVersion } from '../../../kernel/http/api-version.ts';
import { sendError } from '../../../kernel/http/http.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { isStorable, UNSTORABLE } from '../../../kernel/values/text.ts';
import type { Demand } from '../mfa-challenges/challenge.service.ts';
import { type OrganizationExport, OrganizationExportStatus } from './organization-export.entity.ts';
import { exportFilePath } from './organization-export-paths.ts';

export interface ExportDownloads {
  newestOf(organizationId: string): Promise<OrganizationExport | null>;
  contentOf(one: OrganizationExport): Readable;
  /** Records the download in the audit trails of the operator's organization and of the exported organization. */
  audit(request: RequestContext, one: OrganizationExport): Promise<void>;
  demand(principal: Principal): Promise<Demand>;
}

/** Serves archives of organizations to operators, who must verify a second factor. The edge must be mounted first. */
export async function mountExportDownloads(app: FastifyInstance, downloads: ExportDownloads): Promise<void> {
  await app.register((scope, _, done) => {
    scope.setErrorHandler(sendError);
    scope.get(exportFilePath(':id'), { config: { category: 'export' } }, (request, reply) => download(downloads, request, reply));
    done();
  });
}

/** Headers of the download. Browsers save the file, do not display it, and never cache it. */
const HEADERS = {
  'content-type': 'application/gzip',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-store',
  vary: 'Authorization, X-API-Key, API-Version',
};

async function download(downloads: ExportDownloads, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  checkVersion(request.headers['api-version']);
  await requireOperator(downloads, request.caller.principal);
  const { id } = request.params as { id: string };
  // the REST bridge checks ids in paths in the same way
  if (!isStorable(id)) throw new InvalidParameters([{ field: 'organization_id', reason: UNSTORABLE }]);
  const found = await downloads.newestOf(id);
  if (found?.status !== OrganizationExportStatus.READY) throw new ResourceNotFound('organization_export', id);
  const isHead = request.method === 'HEAD';
  if (!isHead) await downloads.audit(request.caller, found);
  const stream = isHead ? Readable.from([]) : downloads.contentOf(found);
  stream.on('error', (error) => request.caller.log.error({ err: error, export: found.id }, 'a download broke off'));
  return reply
    .headers({
      ...HEADERS,
      'content-length': found.bytes,
      'content-disposition': `attachment; filename="${found.id}.tar.gz"`,
      'x-request-id': request.id,
    })
    .send(stream);
}

async function requireOperator({ demand }: ExportDownloads, principal: Principal): Promise<void> {
  principal.require('platform:admin');
  if (principal.accounts !== null) throw new LimitedToAccounts();
  try {
    principal.requireSecondFactor('platform:admin');
  } catch (error) {
    if (!(error instanceof SecondFactorRequired)) throw error;
    throw new SecondFactorRequired((await demand(principal)).details);
  }
}
