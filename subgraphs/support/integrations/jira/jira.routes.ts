import type { FastifyInstance } from 'fastify';
import { sendError } from '../../../../kernel/http/http.ts';
import type { JiraInbound } from './jira-inbound.ts';
import { inboundPath } from './jira-paths.ts';

/** Maximum body size. Jira's webhooks contain the whole issue. */
const BODY_BYTES = 1024 * 1024;

/**
 * Serves the URLs that Jira's webhooks call. These requests bypass GraphQL, because the signature must be checked on
 * the unchanged bytes of the body.
 */
export async function mountJira(app: FastifyInstance, inbound: JiraInbound): Promise<void> {
  // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for an asynchronous plugin; the rule knows only its callback form
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_, body, done) => done(null, body));
    scope.setErrorHandler(sendError);
    scope.post(inboundPath(':id'), { config: { access: 'public', weight: 1 } }, async ({ params, body, headers }, reply) => {
      const signature = headers['x-hub-signature']?.toString();
      await inbound.receive((params as { id: string }).id, Buffer.isBuffer(body) ? body : Buffer.alloc(0), signature);
      return reply.code(204).send();
    });
  });
}
