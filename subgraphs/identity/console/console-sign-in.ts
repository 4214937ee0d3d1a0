import type { FastifyRequest } from 'fastify';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Secrets } from '../../../kernel/access/secrets.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import { PlatformError, ResourceNotFound } from '../../../kernel/errors/errors.ts';
import { CONSOLE_PATH, SIGN_IN_PATH, signInTo } from '../../../kernel/pages/console.ts';
import { messagePage } from '../../../kernel/pages/message.page.ts';
import { clientInfoOf, type Form, type PageResponse } from '../../../kernel/pages/page-requests.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import type { SecondFactorGate, SecondStep } from '../oauth/second-factor-gate.ts';
import { identityProviderPage, loginPage, secondFactorPage, singleSignOnPage } from '../pages/login.page.ts';
import { browserOf } from '../saml/saml.routes.ts';
import type { SamlSignIn } from '../saml/saml-sign-in.ts';
import type { LoginService } from '../sessions/login.service.ts';
import { Session } from '../sessions/session.entity.ts';
import type { SessionTokens } from '../sessions/session.values.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { secretDigest } from '../tokens/secret.ts';
import { UserStatus } from '../user.states.ts';
import { User } from '../users/user.entity.ts';

export interface ConsoleSignInParts {
  orm: Orm;
  clock: Clock;
  secrets: Secrets;
  login: LoginService;
  sessions: Sessions;
  gate: SecondFactorGate;
  /**
   * SAML sign-in. Undefined if the SAML service provider has another origin than the console, because browsers would not send the cookie of
   * the SAML sign-in to the console.
   */
  saml: SamlSignIn | undefined;
}

/**
 * Data that the password step passes on to the second-factor step, encrypted in a hidden field of the second-factor
 * form.
 */
interface Passed {
  userId: string;
  passwordDigest: string;
  step: string;
  until: number;
}

/**
 * Result of a step of the sign-in: the next page, or the user's tokens and the page to redirect to after the last step.
 */
export type SignInResult = PageResponse | { tokens: SessionTokens; location: string };

/**
 * Path to which the browser returns from an identity provider. Browsers send the cookie of the sign-in only to paths
 * below `/saml`.
 */
export const SAML_RETURN_PATH = '/saml/console';
export const SINGLE_SIGN_ON_PATH = `${SIGN_IN_PATH}/single-sign-on`;

const SECOND_STEP_MS = 10 * 60_000;
const CONTEXT = 'passed';
/** Redirect targets that are allowed: pages of the console only. */
const TARGET = new RegExp(`^${CONSOLE_PATH}(/[\\w-]+)+$`);

/**
 * Signs users in to the platform's own pages. The steps, limits and audit records are the same as for a login through the API: the password
 * is the first step, and the second factor, if the user has one, is the second step.
 */
export class ConsoleSignIn {
  readonly #box: SecretBox;

  constructor(private readonly parts: ConsoleSignInParts) {
    this.#box = parts.secrets.box('identity.console-sign-in');
  }

  begin(to: unknown): PageResponse {
    return { page: this.#passwordPage({ to: targetOf(to) }) };
  }

  beginSingle(to: unknown): PageResponse {
    return { page: singleSignOnPage({ action: SIGN_IN_PATH, hidden: { to: targetOf(to) } }) };
  }

  /**
   * Completes single sign-on: exchanges the one-time code in the URL for a session. Works only in the browser that began
   * the sign-in.
   */
  async returned(request: FastifyRequest): Promise<SignInResult> {
    const { to, code } = request.query as { to?: unknown; code?: unknown };
    const location = targetOf(to);
    try {
      if (!this.parts.saml || typeof code !== 'string') return { location: signInTo(location) };
      return { tokens: await this.parts.saml.exchange(code, browserOf(request), clientInfoOf(request)), location };
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return { page: this.#passwordPage({ to: location, problem: error.message }), status: error.status };
    }
  }

  async submit(request: FastifyRequest, form: Form): Promise<SignInResult> {
    const { step } = request.params as { step: string };
    const to = targetOf(form.to);
    if (step === 'login') return this.#login(request, form, to);
    if (step === 'second-factor') return this.#secondFactor(request, form, to);
    if (step === 'single-sign-on') return this.#singleSignOn(form, to);
    return { location: SIGN_IN_PATH };
  }

  /** Revokes the session of the request. */
  async signOut({ caller }: FastifyRequest): Promise<PageResponse> {
    const { sessionId } = caller.principal;
    const session = sessionId && (await this.parts.orm.em.fork().findOne(Session, { id: sessionId, endedAt: null }, EVERYWHERE));
    if (session) await this.parts.sessions.end(session, 'logout', caller.client);
    return { page: messagePage({ title: 'You are signed out', text: 'You can close this page.' }) };
  }

  async #login(request: FastifyRequest, { email = '', password = '' }: Form, to: string): Promise<SignInResult> {
    let user: User;
    try {
      user = await this.parts.login.check(email, password, clientInfoOf(request));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return { page: this.#passwordPage({ to, email, problem: error.message }), status: error.status };
    }
    if (!(await this.parts.gate.isRequired(user))) return this.#signedIn(request, user, to);
    const step = newId('session');
    const until = this.parts.clock.now().getTime() + SECOND_STEP_MS;
    const passed = { userId: user.id, passwordDigest: passwordDigestOf(user), step, until } satisfies Passed;
    const isSent = (await this.parts.gate.begin(user, stepOf(request, step))) === 'sent';
    return { page: codePage({ to, passed: this.#box.seal(JSON.stringify(passed), CONTEXT), isSent }) };
  }

  async #singleSignOn({ email = '' }: Form, to: string): Promise<PageResponse> {
    try {
      const connection = await this.parts.saml?.connectionFor(email);
      if (!connection) return { location: signInTo(to) };
      const RelayState = `${SAML_RETURN_PATH}?${new URLSearchParams({ to })}`;
      return { page: identityProviderPage(`/saml/sso?${new URLSearchParams({ connection, RelayState })}`) };
    } catch (error) {
      if (!(error instanceof ResourceNotFound)) throw error;
      const problem = 'There is no single sign-on for this address. Sign in with your password.';
      return { page: singleSignOnPage({ action: SIGN_IN_PATH, hidden: { to }, email, problem }), status: error.status };
    }
  }

  async #secondFactor(request: FastifyRequest, { code = '', passed = '' }: Form, to: string): Promise<SignInResult> {
    const { user, step } = (await this.#passed(passed)) ?? {};
    if (!user || !step) return { page: this.#passwordPage({ to, problem: 'Your sign-in has expired. Sign in again.' }), status: 400 };
    try {
      await this.parts.gate.verify(user, code.trim(), stepOf(request, step));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return { page: codePage({ to, passed, problem: error.message }), status: error.status };
    }
    return this.#signedIn(request, user, to);
  }

  async #signedIn(request: FastifyRequest, user: User, location: string): Promise<SignInResult> {
    return { tokens: await this.parts.sessions.open(user, { method: 'password', client: clientInfoOf(request) }), location };
  }

  /**
   * Decrypts the state that the password step created. Returns undefined if the state has expired or if the password
   * was changed after that step.
   */
  async #passed(sealed: string): Promise<{ user: User; step: string } | undefined> {
    const { userId, passwordDigest, step, until } = this.#opened(sealed) ?? {};
    if (!userId || !step || !until || until <= this.parts.clock.now().getTime()) return undefined;
    const user = await this.parts.orm.em.fork().findOne(User, { id: userId, status: UserStatus.ACTIVE }, EVERYWHERE);
    return user && passwordDigestOf(user) === passwordDigest ? { user, step } : undefined;
  }

  #opened(sealed: string): Passed | undefined {
    try {
      return JSON.parse(this.#box.open(sealed, CONTEXT)) as Passed;
    } catch {
      return undefined;
    }
  }

  #passwordPage({ to, ...parts }: { to: string; email?: string; problem?: string }): string {
    const singleSignOn = this.parts.saml && `${SINGLE_SIGN_ON_PATH}?${new URLSearchParams({ to })}`;
    return loginPage({ action: SIGN_IN_PATH, clientName: 'your tickets', hidden: { to }, singleSignOn, ...parts });
  }
}

const codePage = ({ to, passed, ...parts }: { to: string; passed: string; isSent?: boolean; problem?: string }): string =>
  secondFactorPage({ action: SIGN_IN_PATH, hidden: { to, passed }, ...parts });

/**
 * Returns the page to redirect to: `to` if it is an allowed target, otherwise the page that says "You are signed in".
 */
const targetOf = (to: unknown): string => (typeof to === 'string' && TARGET.test(to) ? to : `${SIGN_IN_PATH}/done`);

const passwordDigestOf = ({ passwordHash }: User): string => secretDigest(passwordHash ?? '');

const stepOf = (request: FastifyRequest, id: string): SecondStep => ({
  id,
  client: clientInfoOf(request),
  log: request.caller.log,
  requestId: request.id,
});
