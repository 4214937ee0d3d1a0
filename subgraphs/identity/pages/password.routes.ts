import type { FastifyInstance } from 'fastify';
import { InvalidParameters, PlatformError } from '../../../kernel/errors/errors.ts';
import { html } from '../../../kernel/messages/html.ts';
import { messagePage } from '../../../kernel/pages/message.page.ts';
import { acceptPageForms, clientInfoOf, formOf, refuseOtherSites, sendErrorPage, sendPage } from '../../../kernel/pages/page-requests.ts';
import type { PasswordService } from '../passwords/password.service.ts';
import { choosePage, forgotPage } from './password.page.ts';

const PAGE = { config: { access: 'public' }, errorHandler: sendErrorPage } as const;

/** Mounts two pages: a page to choose a new password, which a link in a mail opens, and a page to request this link. */
export async function mountPasswordPages(app: FastifyInstance, passwords: PasswordService): Promise<void> {
  await app.register((scope, _options, done) => {
    acceptPageForms(scope);
    scope.get('/password', PAGE, async ({ query }, reply) => {
      const { token } = query as { token?: unknown };
      if (typeof token !== 'string' || !token) return sendPage(reply, { page: brokenLink(), status: 400 });
      try {
        await passwords.checkLink(token);
        return sendPage(reply, { page: choosePage({ token }) });
      } catch (error) {
        if (error instanceof PlatformError) return sendPage(reply, { page: brokenLink(), status: error.status });
        throw error;
      }
    });
    scope.post('/password', PAGE, async (request, reply) => {
      refuseOtherSites(request);
      const { token = '', password = '' } = formOf(request);
      try {
        await passwords.choose(token, password, clientInfoOf(request));
        return sendPage(reply, { page: chosen() });
      } catch (error) {
        if (error instanceof InvalidParameters)
          return sendPage(reply, {
            page: choosePage({ token, problem: `Your password ${error.problems[0].reason}.` }),
            status: error.status,
          });
        if (error instanceof PlatformError) return sendPage(reply, { page: brokenLink(), status: error.status });
        throw error;
      }
    });
    scope.get('/password/forgot', PAGE, async (_, reply) => sendPage(reply, { page: forgotPage() }));
    scope.post('/password/forgot', PAGE, async (request, reply) => {
      refuseOtherSites(request);
      const { email = '' } = formOf(request);
      try {
        await passwords.requestReset(email.slice(0, MAX_EMAIL), clientInfoOf(request));
        return sendPage(reply, { page: asked() });
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        return sendPage(reply, { page: forgotPage({ email, problem: error.message }), status: error.status });
      }
    });
    done();
  });
}

const MAX_EMAIL = 320;
const ANOTHER = html`<p class="aside"><a href="/password/forgot">Request a new link</a></p>`;

const brokenLink = (): string =>
  messagePage({ title: 'This link is no longer valid', text: 'It has already been used or has expired.', more: ANOTHER });

const chosen = (): string =>
  messagePage({
    title: 'Your password is saved',
    text: 'Go back to the application and sign in with your new password. You can close this page.',
  });

/**
 * Returns the page that is shown after a user requested a link. The page is the same whether or not the user exists.
 */
const asked = (): string =>
  messagePage({
    title: 'Check your e-mail',
    text: 'If there is a user with this address, we have sent an e-mail with a link. The link is valid for one hour.',
    more: ANOTHER,
  });
