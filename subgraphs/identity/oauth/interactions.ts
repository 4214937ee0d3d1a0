import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Client, Interaction, InteractionResults, Provider } from 'oidc-provider';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import { clientInfoOf, type Form, type PageResponse } from '../../../kernel/pages/page-requests.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { loginPage, secondFactorPage } from '../pages/login.page.ts';
import type { KnownPlaces } from '../sessions/known-places.ts';
import type { LoginService } from '../sessions/login.service.ts';
import { secretDigest } from '../tokens/secret.ts';
import { User } from '../users/user.entity.ts';
import type { AuthorizationServer } from './authorization.server.ts';
import { Consent } from './consent.ts';
import { RequestExpired } from './oauth.errors.ts';
import type { OAuthAudit } from './oauth-audit.ts';
import { clientStateOf, nameOf } from './oauth-client-source.ts';
import { findAccount } from './oauth-users.ts';
import { paths } from './paths.ts';
import type { SecondFactorGate, SecondStep } from './second-factor-gate.ts';

export interface InteractionsParts {
  server: AuthorizationServer;
  orm: Orm;
  clock: Clock;
  login: LoginService;
  places: KnownPlaces;
  gate: SecondFactorGate;
  audit: OAuthAudit;
}

/** An authorization request that waits for the user to sign in or consent. */
export interface Waiting {
  provider: Provider;
  interaction: Interaction;
  client: Client;
  /** Base path of the forms on the sign-in and consent pages. Each form is sent to a path below it, such as `/login`. */
  action: string;
  /** Origins that browsers may be redirected to after submitting a form. */
  formTargets: string[];
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Data that the password step passes on to the second-factor step, stored with the authorization request. */
interface Passed {
  passed?: { accountId: string; passwordDigest: string };
}

/** Signs the user in and asks for consent, between an authorization request and its response. */
export class Interactions {
  readonly #consent: Consent;

  constructor(private readonly parts: InteractionsParts) {
    this.#consent = new Consent(parts);
  }

  /** Returns the page that the user must see next. @throws RequestExpired */
  async show(request: FastifyRequest, reply: FastifyReply): Promise<PageResponse> {
    const waiting = await this.#waiting(request, reply);
    const { interaction, client, action, formTargets } = waiting;
    if (interaction.prompt.name === 'consent') return this.#consent.show(waiting);
    const passed = await this.#passed(waiting);
    if (passed)
      return { page: secondFactorPage({ action, isSent: (await this.parts.gate.begin(passed, stepOf(waiting))) === 'sent' }), formTargets };
    const { login_hint: hint } = interaction.params;
    const email = typeof hint === 'string' ? hint.slice(0, 320) : undefined;
    return { page: loginPage({ action, clientName: nameOf(client), email }), formTargets };
  }

  /**
   * Handles a submitted form.
   * @throws RequestExpired, also if the browser sends no cookie, as for a form on another site
   */
  async submit(request: FastifyRequest, reply: FastifyReply, form: Form): Promise<PageResponse> {
    const waiting = await this.#waiting(request, reply);
    const { step } = request.params as { step: string };
    const isConsent = waiting.interaction.prompt.name === 'consent';
    if (step === 'abort') return this.#finish(waiting, { error: 'access_denied', error_description: 'The user cancelled.' });
    if (step === 'consent' && isConsent)
      return this.#consent.decide(waiting, form.decision === 'allow', (result) => this.#finish(waiting, result));
    if (step === 'login' && !isConsent) return this.#login(waiting, form);
    if (step === 'second-factor' && !isConsent) return this.#secondFactor(waiting, form);
    return { location: waiting.action };
  }

  async #waiting(request: FastifyRequest, reply: FastifyReply): Promise<Waiting> {
    const provider = await this.parts.server.provider();
    const interaction = await provider.interactionDetails(request.raw, reply.raw).catch(() => undefined);
    const { uid } = request.params as { uid: string };
    const client = interaction && interaction.uid === uid ? await provider.Client.find(String(interaction.params.client_id)) : undefined;
    if (!interaction || !client) throw new RequestExpired();
    const redirectUri = interaction.params.redirect_uri;
    return {
      provider,
      interaction,
      client,
      action: `${paths.interaction}/${uid}`,
      formTargets: typeof redirectUri === 'string' ? [new URL(redirectUri).origin] : [],
      request,
      reply,
    };
  }

  async #login(waiting: Waiting, { email = '', password = '' }: Form): Promise<PageResponse> {
    const { client, action, formTargets, request, interaction } = waiting;
    const again = (problem: string, status: number): PageResponse => ({
      page: loginPage({ action, clientName: nameOf(client), email, problem }),
      status,
      formTargets,
    });
    let user: User;
    try {
      user = await this.parts.login.check(email, password, clientInfoOf(request));
    } catch (error) {
      if (error instanceof PlatformError) return again(error.message, error.status);
      throw error;
    }
    if (user.organizationId !== clientStateOf(client).organizationId)
      return again('This application belongs to another organization. Sign in as a user of that organization.', 403);
    if (!(await this.parts.gate.isRequired(user))) return this.#signedIn(waiting, user, ['pwd']);
    interaction.result = { passed: { accountId: user.id, passwordDigest: passwordDigestOf(user) } } as unknown as InteractionResults;
    await interaction.persist();
    return { location: action };
  }

  async #secondFactor(waiting: Waiting, { code = '' }: Form): Promise<PageResponse> {
    const { action, formTargets } = waiting;
    const user = await this.#passed(waiting);
    if (!user) return { location: action };
    try {
      await this.parts.gate.verify(user, code.trim(), stepOf(waiting));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return { page: secondFactorPage({ action, problem: error.message }), status: error.status, formTargets };
    }
    return this.#signedIn(waiting, user, ['pwd', 'otp']);
  }

  /** Returns the user who has entered the right password in this sign-in and must still verify the second factor. */
  async #passed({ interaction }: Waiting): Promise<User | undefined> {
    const { passed } = (interaction.result ?? {}) as Passed;
    const user = passed && (await findAccount(this.parts.orm, passed.accountId))?.user;
    // if the password was changed after the user entered it, the user must enter the new password
    return user && passwordDigestOf(user) === passed.passwordDigest ? user : undefined;
  }

  async #signedIn(waiting: Waiting, { id }: User, amr: string[]): Promise<PageResponse> {
    const { provider, interaction, client, request } = waiting;
    const { session } = interaction;
    // ends the session of another user: otherwise the provider would show a sign-out form that a script submits
    if (session?.uid && session.accountId !== id) {
      await (await provider.Session.findByUid(session.uid))?.destroy();
      interaction.session = undefined;
      await interaction.persist();
    }
    const now = this.parts.clock.now();
    const info = clientInfoOf(request);
    await this.parts.orm.em.fork().transactional(async (tx) => {
      await tx.nativeUpdate(User, { id }, { lastLogin: now }, EVERYWHERE);
      await this.parts.places.remember(tx, id, info, { secondFactor: false });
    });
    const event = { info, authenticationMethod: amr.includes('otp') ? 'password+otp' : 'password' };
    await this.parts.audit.user('authentication_success', client, id, event);
    return this.#finish(waiting, { login: { accountId: id, amr, remember: false } });
  }

  async #finish({ provider, request, reply }: Waiting, result: InteractionResults): Promise<PageResponse> {
    return { location: await provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: true }) };
  }
}

const passwordDigestOf = ({ passwordHash }: User): string => secretDigest(passwordHash ?? '');

const stepOf = ({ interaction, request }: Waiting): SecondStep => ({
  id: interaction.uid,
  client: clientInfoOf(request),
  log: request.caller.log,
  requestId: request.id,
});
