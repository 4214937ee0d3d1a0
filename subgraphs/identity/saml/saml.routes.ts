import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { type FieldProblem, InvalidParameters, PlatformError } from '../../../kernel/errors/errors.ts';
import { acceptForms } from '../../../kernel/http/bodies.ts';
import { sendError } from '../../../kernel/http/http.ts';
import type { SessionTokens } from '../sessions/session.values.ts';
import { newSecret } from '../tokens/secret.ts';
import type { SamlAddresses } from './saml-addresses.ts';
import { spMetadata } from './saml-metadata.ts';
import type { SamlSignIn } from './saml-sign-in.ts';

export interface SamlSurface {
  signIn: SamlSignIn;
  addresses: SamlAddresses;
}

const PUBLIC = { config: { access: 'public' } } as const;
/** Maximum size of a form. It allows a response of 256 Ki characters with percent-encoding. */
const FORM_BYTES = 512 * 1024;
const RELAY_STATE_LENGTH = 1024;
const COOKIE = 'saml_browser';
const COOKIE_SECONDS = 900;

/** Mounts the endpoints of specification 5.6 at the service origin (`{service_origin}`). The edge must be mounted first. */
export async function mountSaml(app: FastifyInstance, surface: SamlSurface): Promise<void> {
  // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for an asynchronous plugin; the rule knows only its callback form
  await app.register(async (scope) => {
    acceptForms(scope, FORM_BYTES, (text) => new URLSearchParams(text));
    scope.setErrorHandler((error, request, reply) => sendError(inFormWords(error), request, reply));
    scope.addHook('onSend', async (_, reply) => void reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }));
    scope.get('/saml/metadata', PUBLIC, (request, reply) => metadata(surface, request, reply));
    scope.get('/saml/sso', PUBLIC, (request, reply) => begin(surface, request, reply));
    scope.post('/saml/acs', PUBLIC, (request, reply) => consume(surface, request, reply));
    scope.post('/saml/token', PUBLIC, (request, reply) => exchange(surface, request, reply));
    for (const path of ['/saml/metadata', '/saml/sso']) refuseOthers(scope, path, 'GET, HEAD', ['POST', 'PUT', 'PATCH', 'DELETE']);
    for (const path of ['/saml/acs', '/saml/token']) refuseOthers(scope, path, 'POST', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']);
  });
}

/** Responds to `methods` with 405, as the REST API does. The body is not read. */
function refuseOthers(scope: FastifyInstance, url: string, allow: string, methods: HTTPMethods[]): void {
  scope.route({
    url,
    method: methods,
    ...PUBLIC,
    async onRequest({ method }, reply) {
      reply.header('allow', allow);
      throw new PlatformError('METHOD_NOT_ALLOWED', `${method} is not allowed here, only ${allow}.`, {
        method,
        allowed: allow.split(', '),
      });
    },
    handler: () => undefined,
  });
}

async function metadata({ signIn, addresses }: SamlSurface, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { connection } = parametersOf(request, ['connection']);
  if (connection) await signIn.checkConnection(connection);
  return reply.type('application/samlmetadata+xml').send(spMetadata(addresses, connection));
}

async function begin({ signIn }: SamlSurface, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { connection, email, SAMLRequest, RelayState } = parametersOf(request, ['connection', 'email', 'SAMLRequest', 'RelayState']);
  if ([connection, email, SAMLRequest].filter(Boolean).length !== 1)
    throw refused({ field: 'SAMLRequest', reason: 'must be sent alone: send exactly one of SAMLRequest, connection and email' });
  checkRelayState(RelayState);
  // keeps an existing cookie value, so that one browser can run several sign-ins at the same time
  const browser = browserOf(request) ?? newSecret();
  const location = await signIn.begin({ connection, email, samlRequest: SAMLRequest, relayState: RelayState }, browser);
  // SameSite=None: the identity provider responds with a form on its own site, and the browser must send the cookie
  // with that form
  const cookie = `${COOKIE}=${browser}; Path=/saml; Max-Age=${COOKIE_SECONDS}; HttpOnly; Secure; SameSite=None`;
  return reply.header('set-cookie', cookie).redirect(location, 302);
}

async function consume({ signIn }: SamlSurface, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const relayState = formValue(request, 'RelayState') || undefined;
  checkRelayState(relayState);
  const { client } = request.caller;
  const answer = { samlResponse: formValue(request, 'SAMLResponse') ?? '', relayState, browser: browserOf(request), client };
  const signedIn = await signIn.consume(answer);
  if ('redirect' in signedIn) return reply.redirect(signedIn.redirect.href, 303);
  return reply.send(tokenResponse(signedIn.tokens));
}

async function exchange({ signIn }: SamlSurface, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const code = formValue(request, 'code');
  if (!code) throw refused({ field: 'code', reason: 'is required in the form' });
  return reply.send(tokenResponse(await signIn.exchange(code, browserOf(request), request.caller.client)));
}

/** Converts the tokens of a session to the token response of specification 2.3. */
const tokenResponse = ({ accessToken, tokenType, expiresIn, refreshToken, scope, userId }: SessionTokens) => ({
  access_token: accessToken,
  token_type: tokenType,
  expires_in: expiresIn,
  refresh_token: refreshToken,
  scope,
  user_id: userId,
});

/**
 * Returns the query parameters.
 * @throws InvalidParameters for an unknown parameter, or for a parameter that occurs more than once
 */
function parametersOf<N extends string>({ query }: FastifyRequest, names: readonly N[]): Partial<Record<N, string>> {
  const given = Object.entries(query as Record<string, unknown>);
  for (const [field, value] of given) {
    if (!names.includes(field as N)) throw refused({ field, reason: `is unknown; known parameters are ${names.join(', ')}` });
    if (typeof value !== 'string') throw refused({ field, reason: 'must not be repeated' });
    if (value.includes('\0')) throw refused({ field, reason: 'must not contain U+0000' });
  }
  return Object.fromEntries(given) as Partial<Record<N, string>>;
}

function formValue({ body }: FastifyRequest, field: string): string | undefined {
  const [value, ...more] = body instanceof URLSearchParams ? body.getAll(field) : [];
  if (more.length > 0) throw refused({ field, reason: 'must not be repeated' });
  return value;
}

function checkRelayState(relayState: string | undefined): void {
  if (relayState && relayState.length > RELAY_STATE_LENGTH)
    throw refused({ field: 'RelayState', reason: `must have at most ${RELAY_STATE_LENGTH} characters` });
}

/** Returns the value of the browser-binding cookie, which is set when a sign-in begins. */
export const browserOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined =>
  new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{43})(?:;|$)`).exec(headers.cookie ?? '')?.[1];

const refused = (problem: FieldProblem): InvalidParameters => new InvalidParameters([problem]);

function inFormWords(error: unknown): unknown {
  if (Object(error).code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return error;
  return new PlatformError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/x-www-form-urlencoded.', {}, { cause: error });
}
