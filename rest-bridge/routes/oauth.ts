import type { JsonSchema } from '../json-schema.ts';
import { headersWith } from '../openapi/components.ts';
import type { MediaType, Operation, Response } from '../openapi/types.ts';
import type { NonGraphRoute } from '../route.ts';

const text = { type: 'string' };
const texts = (...names: string[]): Record<string, JsonSchema> => Object.fromEntries(names.map((name) => [name, text]));

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { ...text, description: 'An error code from RFC 6749, section 5.2, such as `invalid_grant`.' },
    error_description: text,
    scope: { ...text, description: 'With `invalid_scope`: the scopes that are not allowed.' },
  },
};
const failed = (description: string): Response => ({
  description,
  headers: headersWith(),
  content: { 'application/json': { schema: ERROR } },
});
const FAILURES = {
  400: failed('The request is refused; `error` contains the reason.'),
  401: failed('Client authentication failed: `invalid_client`.'),
  429: failed('Too many requests from this IP address.'),
};
const page = (description: string): Response => ({ description, headers: headersWith(), content: { 'text/html': { schema: text } } });
const json = (description: string, schema: JsonSchema, example: unknown): Response => ({
  description,
  headers: headersWith(),
  content: { 'application/json': { schema, example } },
});

const form = (required: string[], properties: Record<string, JsonSchema>, example: unknown): NonNullable<Operation['requestBody']> => {
  const media: MediaType = { schema: { type: 'object', required, properties }, example };
  return { required: true, content: { 'application/x-www-form-urlencoded': media } };
};

const TOKENS = {
  type: 'object',
  required: ['access_token', 'token_type', 'expires_in', 'scope'],
  properties: {
    access_token: { ...text, description: 'A JWT.' },
    token_type: { ...text, const: 'Bearer' },
    expires_in: { type: 'integer', examples: [3600] },
    refresh_token: {
      ...text,
      description: 'A new refresh token (`rt_…`): issued for an authorization code, and at each refresh of a public client.',
    },
    scope: { ...text, description: 'The granted scopes, which may be fewer than requested.' },
    user_id: { ...text, description: 'The id of the user. Present only for an authorization code.' },
  },
};
const INTROSPECTION = {
  type: 'object',
  required: ['active'],
  properties: { active: { type: 'boolean' }, ...texts('scope', 'client_id', 'token_type', 'sub', 'aud', 'iss', 'jti', 'organization_id') },
};
const KEYS = {
  type: 'object',
  required: ['keys'],
  properties: { keys: { type: 'array', items: { type: 'object', properties: texts('kty', 'kid', 'alg', 'use', 'n', 'e') } } },
};
const DEVICE = {
  type: 'object',
  required: ['device_code', 'user_code', 'verification_uri', 'expires_in'],
  properties: { ...texts('device_code', 'user_code', 'verification_uri', 'verification_uri_complete'), expires_in: { type: 'integer' } },
};

const query = (name: string, required: boolean, description: string, schema: JsonSchema = text) =>
  ({ name, in: 'query', required, description, schema }) as const;

const TAG = 'Credentials';
const SECRET = 'The client authenticates with HTTP Basic, or with `client_id` and `client_secret` in the form.';
/** Common properties of the OAuth operations. Their paths are not under /v1. */
const PLACE = { tags: [TAG], security: [], servers: [{ url: '/', description: 'The authorization server.' }] };

const routes: Omit<NonGraphRoute, 'servedBy'>[] = [
  {
    method: 'GET',
    path: '/oauth/authorize',
    operation: {
      operationId: 'startAuthorization',
      summary: 'Authorize an application',
      description:
        'Authorizes an application in a browser. The user signs in and allows or denies access. After that, the browser is redirected to `redirect_uri` with `code` and `state`, or with `error`. PKCE with S256 is always required. A code works once, within 60 seconds.',
      ...PLACE,
      parameters: [
        query('response_type', true, 'Always `code`.', { ...text, const: 'code' }),
        query('client_id', true, 'The id of an OAuth client of the organization.'),
        query('redirect_uri', true, 'A redirect URI that is registered for the client. It must match exactly.'),
        query('scope', false, 'Scopes of the client, separated by spaces. Default: all of them.'),
        query('state', false, 'Returned unchanged. Compare it with the value that you sent.'),
        query('code_challenge', true, 'The SHA-256 hash of `code_verifier`, encoded as base64url.'),
        query('code_challenge_method', true, 'Always `S256`.', { ...text, const: 'S256' }),
      ],
      responses: {
        303: {
          description: 'Redirects to the sign-in pages, or back to `redirect_uri`. The body is a short text with a link to that address.',
          headers: headersWith(),
          content: { 'text/html': { schema: text }, 'text/plain': { schema: text } },
        },
        400: page('The client or the redirect URI is unknown. A page explains this to the user; there is no redirect.'),
        429: page('Too many requests from this IP address.'),
      },
    },
  },
  {
    method: 'POST',
    path: '/oauth/token',
    operation: {
      operationId: 'requestToken',
      summary: 'Get an access token',
      description: `Issues an access token for an authorization code, a refresh token, a device code, or client credentials. ${SECRET}`,
      ...PLACE,
      requestBody: form(
        ['grant_type'],
        {
          grant_type: {
            ...text,
            enum: ['authorization_code', 'refresh_token', 'client_credentials', 'urn:ietf:params:oauth:grant-type:device_code'],
          },
          ...texts('client_id', 'client_secret', 'code', 'redirect_uri', 'code_verifier', 'refresh_token', 'device_code', 'scope'),
        },
        { grant_type: 'client_credentials', scope: 'services.read' },
      ),
      responses: {
        200: json('The access token.', TOKENS, {
          access_token: 'eyJhbGciOiJSUzI1NiJ9.EXAMPLE.EXAMPLE',
          token_type: 'Bearer',
          expires_in: 3600,
          scope: 'services.read',
        }),
        ...FAILURES,
      },
    },
  },
  {
    method: 'POST',
    path: '/oauth/introspect',
    operation: {
      operationId: 'introspectToken',
      summary: 'Introspect a token',
      description: `Introspects a token as in RFC 7662. Tokens of other organizations are \`active: false\`. ${SECRET}`,
      ...PLACE,
      requestBody: form(['token'], texts('token', 'token_type_hint', 'client_id', 'client_secret'), { token: 'eyJhbGciOiJSUzI1NiIs…' }),
      responses: {
        200: json('The state of the token. For an active token, the response also contains its scopes, client and user.', INTROSPECTION, {
          active: true,
          scope: 'services.read',
          client_id: 'client_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
          token_type: 'Bearer',
          sub: 'user_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
          organization_id: 'org_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        }),
        ...FAILURES,
      },
    },
  },
  {
    method: 'POST',
    path: '/oauth/revoke',
    operation: {
      operationId: 'revokeToken',
      summary: 'Revoke a token',
      description: `Revokes a token of the client, as in RFC 7009. Revoking a refresh token revokes all tokens of the same grant. ${SECRET}`,
      ...PLACE,
      requestBody: form(['token'], texts('token', 'token_type_hint', 'client_id', 'client_secret'), { token: 'rt_3q2-7wAbCdEf…' }),
      responses: { 200: { description: 'The token is revoked, or it was not valid.', headers: headersWith() }, ...FAILURES },
    },
  },
  {
    method: 'GET',
    path: '/.well-known/jwks.json',
    operation: {
      operationId: 'getJwks',
      summary: 'Get the public keys that verify tokens',
      description:
        'Gets the public keys that verify access tokens. Select the key by the `kid` of the token. A new key is published a day before it is used for signing.',
      ...PLACE,
      responses: {
        200: {
          description: 'The key set (RFC 7517).',
          headers: headersWith(),
          content: {
            'application/jwk-set+json': {
              schema: KEYS,
              example: {
                keys: [{ kty: 'RSA', kid: 'key_01JQ8Z6V4T9M3N2B1C0D9E8F7G', alg: 'RS256', use: 'sig', n: 'u1W4qL2m…', e: 'AQAB' }],
              },
            },
          },
        },
        429: FAILURES[429],
      },
    },
  },
  {
    method: 'POST',
    path: '/oauth/device_authorization',
    operation: {
      operationId: 'startDeviceAuthorization',
      summary: 'Start a device authorization',
      description:
        'Starts the device flow of RFC 8628. Show `user_code` and `verification_uri` to the user, and poll the token endpoint until the user has entered the code. Only `client_id` is required here; the secret is required at the token endpoint.',
      ...PLACE,
      requestBody: form(['client_id'], texts('client_id', 'client_secret', 'scope'), {
        client_id: 'client_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        scope: 'services.read',
      }),
      responses: {
        200: json('The device code and the user code.', DEVICE, {
          device_code: 'EXAMPLEEXAMPLEEXAMPLE',
          user_code: 'BDWP-HQTR',
          verification_uri: 'https://api.example.com/device',
          verification_uri_complete: 'https://api.example.com/device?user_code=BDWP-HQTR',
          expires_in: 600,
        }),
        ...FAILURES,
      },
    },
  },
];

/** OAuth (specification 5.3, 5.4). The authorization server serves these operations. */
export const oauthRoutes: readonly NonGraphRoute[] = routes.map((route) => ({ ...route, servedBy: 'auth' }));
