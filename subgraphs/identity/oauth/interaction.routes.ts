import type { FastifyInstance } from 'fastify';
import { STYLESHEET_PATH } from '../../../kernel/pages/layout.ts';
import { acceptPageForms, formOf, refuseOtherSites, sendErrorPage, sendPage } from '../../../kernel/pages/page-requests.ts';
import { stylesheet } from '../../../kernel/pages/stylesheet.ts';
import type { Interactions } from './interactions.ts';
import { paths } from './paths.ts';

const PAGE = { config: { access: 'public' }, errorHandler: sendErrorPage } as const;
const CACHE_SECONDS = 86_400;

/** Mounts the pages of an authorization request (sign-in, second factor, consent) and the stylesheet of all pages. */
export async function mountInteractions(app: FastifyInstance, interactions: Interactions): Promise<void> {
  app.get(STYLESHEET_PATH, { config: { access: 'public', weight: 0 } }, (_, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', `public, max-age=${CACHE_SECONDS}`).send(stylesheet),
  );
  await app.register((scope, _options, done) => {
    acceptPageForms(scope);
    scope.get(`${paths.interaction}/:uid`, PAGE, async (request, reply) => sendPage(reply, await interactions.show(request, reply)));
    scope.post(`${paths.interaction}/:uid/:step`, PAGE, async (request, reply) => {
      refuseOtherSites(request);
      return sendPage(reply, await interactions.submit(request, reply, formOf(request)));
    });
    done();
  });
}
