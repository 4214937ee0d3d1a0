import type { FastifyInstance } from 'fastify';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import { sendError } from '../../../kernel/http/http.ts';
import type { ProcessorNotices } from './processor-notices.ts';

/** Path of the webhook of Stripe. */
export const STRIPE_PATH = '/v1/billing/processors/stripe/notifications';
/** Maximum body size of a webhook request. Stripe's events contain one object without its lists. */
const BODY_BYTES = 256 * 1024;

/**
 * Serves the URL that Stripe's webhook calls. These requests bypass GraphQL, because the signature must be checked on
 * the unchanged bytes of the body. If Stripe is not configured, each request is refused as forged. Only forged requests
 * count against the rate limit of their IP address, because Stripe sends all notifications of a large platform from a
 * few addresses.
 */
export async function mountProcessorNotices(app: FastifyInstance, notices: ProcessorNotices): Promise<void> {
  // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for an asynchronous plugin; the rule knows only its callback form
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_, body, done) => done(null, body));
    scope.setErrorHandler(sendError);
    scope.post(STRIPE_PATH, { config: { access: 'public', weight: 0 } }, async (request, reply) => {
      const { body, headers } = request;
      await notices.receive(Buffer.isBuffer(body) ? body : Buffer.alloc(0), headers).catch(async (error: unknown) => {
        if (error instanceof PlatformError) await request.charge({ weight: 1 });
        throw error;
      });
      return reply.code(204).send();
    });
  });
}
