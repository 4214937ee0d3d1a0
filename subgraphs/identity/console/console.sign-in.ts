import type { FastifyRequest } from 'fastify';
import { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import { CONSOLE_PATH, SIGN_IN_PATH } from '../../../kernel/pages/console.ts';
import { messagePage } from '../../../kernel/pages/message.page.ts';
import { clientInfoOf, type Form, type PageAnswer } from '../../../kernel/pages/page.requests.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE } from '../../../kernel/records/organization.filter.ts';
import type { SecondFactorGate, SecondStep } from '../oauth/second-factor.gate.ts';
import { loginPage, secondFactorPage } from '../pages/login.page.ts';
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
  secretKey: string;
  login: LoginService;
  sessions: Sessions;
  gate: SecondFactorGate;
}

/** Whose password was right, while the second step is outstanding. It stands sealed in the form of that step. */
interface Passed {
  userId: string;
  passwordDigest: string;
  step: string;
  until: number;
}

/** A page to see next, or the tokens of who has signed in. */
export type SignInAnswer = PageAnswer | { tokens: SessionTokens; location: string };

const SECOND_STEP_MS = 10 * 60_000;
const CONTEXT = 'passed';
/** Pages of ours, and nothing that leads elsewhere. */
const TARGET = new RegExp(`^${CONSOLE_PATH}(/[\\w-]+)+$`);

/** Sign-in to the platform's own pages, with the steps, limits and audit records of every sign-in: the password, then the second factor if the user has one. */
export class ConsoleSignIn {
  readonly #box: SecretBox;

  constructor(private readonly parts: ConsoleSignInParts) {
    this.#box = new SecretBox(parts.secretKey, 'identity.console-sign-in');
  }

  begin(to: unknown): PageAnswer {
    return { page: this.#passwordPage({ to: targetOf(to) }) };
  }

  async submit(request: FastifyRequest, form: Form): Promise<SignInAnswer> {
    const { step } = request.params as { step: string };
    const to = targetOf(form.to);
    if (step === 'login') return this.#login(request, form, to);
    if (step === 'second-factor') return this.#secondFactor(request, form, to);
    return { location: SIGN_IN_PATH };
  }

  /** Ends the session that the request came with. */
  async signOut({ caller }: FastifyRequest): Promise<PageAnswer> {
    const { sessionId } = caller.principal;
    const session = sessionId && (await this.parts.orm.em.fork().findOne(Session, { id: sessionId, endedAt: null }, EVERYWHERE));
    if (session) await this.parts.sessions.end(session, 'logout', caller.client);
    return { page: messagePage({ title: 'You are signed out', text: 'You can close this page.' }) };
  }

  async #login(request: FastifyRequest, { email = '', password = '' }: Form, to: string): Promise<SignInAnswer> {
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

  async #secondFactor(request: FastifyRequest, { code = '', passed = '' }: Form, to: string): Promise<SignInAnswer> {
    const { user, step } = (await this.#passed(passed)) ?? {};
    if (!user || !step) return { page: this.#passwordPage({ to, problem: 'That took too long. Sign in again.' }), status: 400 };
    try {
      await this.parts.gate.verify(user, code.trim(), stepOf(request, step));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return { page: codePage({ to, passed, problem: error.message }), status: error.status };
    }
    return this.#signedIn(request, user, to);
  }

  async #signedIn(request: FastifyRequest, user: User, location: string): Promise<SignInAnswer> {
    return { tokens: await this.parts.sessions.open(user, { method: 'password', client: clientInfoOf(request) }), location };
  }

  /** Who chose another password meanwhile is asked for it. */
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
    return loginPage({ action: SIGN_IN_PATH, clientName: 'your tickets', hidden: { to }, ...parts });
  }
}

const codePage = ({ to, passed, ...parts }: { to: string; passed: string; isSent?: boolean; problem?: string }): string =>
  secondFactorPage({ action: SIGN_IN_PATH, hidden: { to, passed }, ...parts });

/** Without a page that it may lead to, the sign-in itself, which says so. */
const targetOf = (to: unknown): string => (typeof to === 'string' && TARGET.test(to) ? to : `${SIGN_IN_PATH}/done`);

const passwordDigestOf = ({ passwordHash }: User): string => secretDigest(passwordHash ?? '');

const stepOf = (request: FastifyRequest, id: string): SecondStep => ({
  id,
  client: clientInfoOf(request),
  log: request.caller.log,
  requestId: request.id,
});
