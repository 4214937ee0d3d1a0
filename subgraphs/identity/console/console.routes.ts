import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CONSOLE_PATH, SESSION_COOKIE, SIGN_IN_PATH, SIGN_OUT_PATH } from '../../../kernel/pages/console.ts';
import { cookieLine } from '../../../kernel/pages/cookies.ts';
import { messagePage } from '../../../kernel/pages/message.page.ts';
import { acceptPageForms, formOf, refuseOtherSites, sendErrorPage, sendPage } from '../../../kernel/pages/page-requests.ts';
import { type ConsoleSignIn, SAML_RETURN_PATH, SINGLE_SIGN_ON_PATH, type SignInResult } from './console-sign-in.ts';

const PAGE = { config: { access: 'public' }, errorHandler: sendErrorPage } as const;
const SIGNED_IN = { config: { access: 'page' }, errorHandler: sendErrorPage } as const;

/**
 * Mounts the sign-in and sign-out pages of the console. `isSecure` states whether browsers reach the platform by https.
 */
export async function mountConsole(app: FastifyInstance, signIn: ConsoleSignIn, isSecure: boolean): Promise<void> {
  const cookie = (value: string, maxAge: number): string => cookieLine(SESSION_COOKIE, value, { path: CONSOLE_PATH, maxAge, isSecure });

  function answer(reply: FastifyReply, next: SignInResult): FastifyReply {
    if (!('tokens' in next)) return sendPage(reply, next);
    const { tokens, location } = next;
    return sendPage(reply.header('set-cookie', cookie(tokens.accessToken, tokens.expiresIn)), { location });
  }

  await app.register((scope, _options, done) => {
    acceptPageForms(scope);
    scope.get(SIGN_IN_PATH, PAGE, async ({ query }, reply) => sendPage(reply, signIn.begin((query as { to?: unknown }).to)));
    scope.get(`${SIGN_IN_PATH}/done`, PAGE, async (_, reply) =>
      sendPage(reply, { page: messagePage({ title: 'You are signed in', text: 'To see a ticket, open the link in an e-mail about it.' }) }),
    );
    scope.get(SINGLE_SIGN_ON_PATH, PAGE, async ({ query }, reply) => sendPage(reply, signIn.beginSingle((query as { to?: unknown }).to)));
    scope.get(SAML_RETURN_PATH, PAGE, async (request, reply) => answer(reply, await signIn.returned(request)));
    scope.post(`${SIGN_IN_PATH}/:step`, PAGE, async (request: FastifyRequest, reply) => {
      refuseOtherSites(request);
      return answer(reply, await signIn.submit(request, formOf(request)));
    });
    scope.post(SIGN_OUT_PATH, SIGNED_IN, async (request, reply) => {
      refuseOtherSites(request);
      return sendPage(reply.header('set-cookie', cookie('', 0)), await signIn.signOut(request));
    });
    done();
  });
}
