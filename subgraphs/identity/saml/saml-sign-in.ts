import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import { InvalidParameters, PlatformError, ResourceNotFound } from '../../../kernel/errors/errors.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { ClientInfo } from '../../../kernel/request.ts';
import { domainOf, normalizedDomain } from '../../../kernel/values/email.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { SamlConnection } from '../saml-connections/saml-connection.entity.ts';
import type { SamlDomains } from '../saml-domains/saml-domains.ts';
import type { SessionTokens } from '../sessions/session.values.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { secretDigest } from '../tokens/secret.ts';
import { UserStatus } from '../user.states.ts';
import { User } from '../users/user.entity.ts';
import { CodeRefused, SignInRefused } from './saml.errors.ts';
import type { SamlStore } from './saml.store.ts';
import type { SamlAddresses } from './saml-addresses.ts';
import { readAssertion } from './saml-assertion.ts';
import type { SamlRequest } from './saml-records.entity.ts';
import { invalidRequest, readRequest } from './saml-request.ts';
import { checkShape, readResponse, type UnverifiedResponse } from './saml-response.ts';
import { CLOCK_SKEW_MS, redirectUrl, ServiceProvider } from './saml-service-provider.ts';
import type { SamlUsers } from './saml-users.ts';

export interface SignInParts {
  orm: Orm;
  clock: Clock;
  addresses: SamlAddresses;
  store: SamlStore;
  users: SamlUsers;
  sessions: Sessions;
  trail: AuditTrail;
  feed: ChangeFeed;
  domains: SamlDomains;
}

/** Parameters of a sign-in. Exactly one of `connection`, `email` and `samlRequest` is set. */
export interface SignInRequest {
  connection?: string | undefined;
  email?: string | undefined;
  samlRequest?: string | undefined;
  relayState?: string | undefined;
}

export interface SignInResponse {
  samlResponse: string;
  relayState: string | undefined;
  /** Value of the browser-binding cookie. */
  browser: string | undefined;
  client: ClientInfo | undefined;
}

/** The tokens, or the address to redirect the browser to. The address contains a one-time code for the tokens. */
export type SignedIn = { tokens: SessionTokens } | { redirect: URL };

/** Sign-in through identity providers of organizations (specification 5.6; SAML 2.0 Profiles, 4.1). */
export class SamlSignIn {
  constructor(private readonly parts: SignInParts) {}

  /**
   * Checks that a connection exists. An inactive connection is accepted, because the identity provider reads the
   * metadata before the connection is activated.
   * @throws ResourceNotFound
   */
  async checkConnection(id: string): Promise<void> {
    const count = await this.parts.orm.em.fork().count(SamlConnection, { id }, EVERYWHERE);
    if (count === 0) throw new ResourceNotFound('saml_connection', id);
  }

  /** Returns an active connection. @throws ResourceNotFound */
  async connection(id: string): Promise<SamlConnection> {
    return orNotFound(await this.parts.orm.em.fork().findOne(SamlConnection, { id, active: true }, EVERYWHERE), 'saml_connection', id);
  }

  /** Returns the connection whose identity provider signs in users of an e-mail address. @throws ResourceNotFound */
  async connectionFor(email: string): Promise<string> {
    const domain = normalizedDomain(domainOf(email));
    const found = domain === undefined ? undefined : await this.parts.domains.connectionFor(domain);
    return orNotFound(found, 'saml_connection', `for ${domain ?? 'this address'}`);
  }

  /**
   * Begins a sign-in. Returns the URL to redirect to. `browser` is the value of the browser-binding cookie.
   * @throws InvalidParameters, ResourceNotFound
   */
  async begin({ connection: id, email, samlRequest, relayState }: SignInRequest, browser: string): Promise<string> {
    if (relayState) this.#relayTarget(relayState);
    if (samlRequest) return this.#passOn(samlRequest, relayState, browser);
    const { addresses, clock, store } = this.parts;
    const connection = await this.connection(id ?? (await this.connectionFor(email ?? '')));
    const cache = store.cacheOf(connection.id, (request) => store.begin(request, connection.id, browser));
    const provider = new ServiceProvider(connection, { addresses, clock, cache, isAnswer: true });
    return redirectUrl(connection.ssoUrl ?? '', await provider.authnRequest(), relayState);
  }

  /**
   * Verifies the response of an identity provider and signs the user in. Every attempt is recorded in the audit trail,
   * without the response itself.
   * @throws NotSaml, InvalidParameters (400), SignInRefused (401), UserSuspended (403)
   */
  async consume({ samlResponse, relayState, browser, client }: SignInResponse): Promise<SignedIn> {
    let connection: SamlConnection | undefined;
    try {
      const target = relayState ? this.#relayTarget(relayState) : undefined;
      const response = await readResponse(samlResponse);
      const request = response.inResponseTo ? await this.parts.store.request(response.inResponseTo) : null;
      connection = await this.#attribute(response, request);
      if (response.inResponseTo && !request) throw new SignInRefused('there is no pending request for it');
      if (target && request && (!browser || secretDigest(browser) !== request.browser))
        throw new SignInRefused('the sign-in began in another browser');
      const user = await this.#verify(connection, response, client);
      // only a browser that began the sign-in is redirected: otherwise a link could sign a user in as somebody else
      if (!target || !request) return { tokens: await this.parts.sessions.open(user, { method: 'saml', client }) };
      await this.#audit(connection, client, 'saml_code_issued', user);
      target.searchParams.set('code', await this.parts.store.issueCode(user.id, browser ?? ''));
      return { redirect: target };
    } catch (error) {
      if (error instanceof PlatformError) await this.#audit(connection, client, 'authentication_failure', undefined, reasonOf(error));
      throw error;
    }
  }

  /** Exchanges a one-time code for tokens. Works only in the browser that received the code. @throws CodeRefused */
  async exchange(code: string, browser: string | undefined, client: ClientInfo | undefined): Promise<SessionTokens> {
    const id = await this.parts.store.redeemCode(code, browser ?? '');
    const user = id === undefined ? null : await this.parts.orm.em.fork().findOne(User, { id }, EVERYWHERE);
    if (user?.status !== UserStatus.ACTIVE) {
      await this.#audit(undefined, client, 'authentication_failure', user ?? undefined, 'sign-in code');
      throw new CodeRefused();
    }
    return this.parts.sessions.open(user, { method: 'saml', client });
  }

  async #verify(connection: SamlConnection, response: UnverifiedResponse, client: ClientInfo | undefined): Promise<User> {
    const { addresses, clock, store, users, feed } = this.parts;
    const { inResponseTo } = response;
    const idpEntityId = connection.idpEntityId ?? '';
    if (!inResponseTo && !connection.allowIdpInitiated) throw new SignInRefused('it answers no request, and the connection requires one');
    checkShape(response, { acsUrl: addresses.acsUrl, idpEntityId });
    const parts = { addresses, clock, cache: store.cacheOf(connection.id), isAnswer: inResponseTo !== undefined };
    const text = await new ServiceProvider(connection, parts).signedAssertion(response);
    const expected = { acsUrl: addresses.acsUrl, idpEntityId, inResponseTo, now: clock.now(), clockSkewMs: CLOCK_SKEW_MS };
    const identity = await readAssertion(text, expected);
    if (!(await store.spendAssertion(connection.id, identity.assertionId, identity.expiresAt))) throw new SignInRefused('replayed');
    const { user, hasChanged } = await users.resolve(connection, identity, client);
    if (hasChanged) feed.changed(user.id);
    return user;
  }

  /**
   * Finds the connection of a response: by `request` if there is one, otherwise by the audience of the response. The
   * response is verified later.
   * @throws SignInRefused
   */
  async #attribute({ audience }: UnverifiedResponse, request: SamlRequest | null): Promise<SamlConnection> {
    const id = request?.connectionId ?? this.parts.addresses.connectionIn(audience ?? '');
    const connection = id && (await this.connection(id).catch(() => undefined));
    if (!connection) throw new SignInRefused('no active connection is its audience');
    return connection;
  }

  /**
   * Forwards a request that a client created. The request is not changed, because the client expects a response to
   * exactly this request.
   */
  async #passOn(samlRequest: string, relayState: string | undefined, browser: string): Promise<string> {
    const { addresses, clock, store } = this.parts;
    const { id, connectionId, xml, destination } = await readRequest(samlRequest, addresses, clock.now());
    const connection = await this.connection(connectionId).catch(() => undefined);
    if (!connection) throw invalidRequest('must come from an active connection');
    if (destination && destination !== connection.ssoUrl)
      throw invalidRequest("must name the identity provider's URL as Destination, or none");
    if (!(await store.begin(id, connectionId, browser))) throw invalidRequest('has an ID that was already used');
    return redirectUrl(connection.ssoUrl ?? '', xml, relayState);
  }

  #relayTarget(relayState: string): URL {
    const target = this.parts.addresses.relayTarget(relayState);
    if (target) return target;
    throw new InvalidParameters([
      { field: 'RelayState', value: relayState, reason: `must be a path, or a URL on ${this.parts.addresses.origin}` },
    ]);
  }

  #audit(
    connection: SamlConnection | undefined,
    client: ClientInfo | undefined,
    eventType: string,
    user?: User,
    reason?: string,
  ): Promise<void> {
    const organizationId = user?.organizationId ?? connection?.organizationId;
    const why = [reason, connection && `connection ${connection.id}`].filter(Boolean).join('; ');
    return this.parts.trail.record({
      eventType,
      organizationId,
      userId: user?.id,
      client,
      authenticationMethod: 'saml',
      tokenType: 'saml_response',
      reason: why || null,
    });
  }
}

const reasonOf = (error: PlatformError): string => ('reason' in error ? String(error.reason) : error.code.toLowerCase());
