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
    error: { ...text, description: 'A code of RFC 6749, 5.2, such as `invalid_grant`.' },
    error_description: text,
    scope: { ...text, description: 'With `invalid_scope`: what is beyond.' },
  },
};
const failed = (description: string): Response => ({
  description,
  headers: headersWith(),
  content: { 'application/json': { schema: ERROR } },
});
const FAILURES = {
  400: failed('The request is refused; `error` says why.'),
  401: failed('The client did not authenticate: `invalid_client`.'),
  429: failed('Too many requests from this address.'),
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
    refresh_token: { ...text, description: '`rt_…`, where one is new: for a code, and for each refresh of a public client.' },
    scope: { ...text, description: 'What was granted, which may be less than was asked for.' },
    user_id: { ...text, description: 'For an authorization code only.' },
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
const SECRET = 'The client shows id and secret by HTTP Basic, or as `client_id` and `client_secret` in the form.';
/** At {auth_url}, and not under /v1. */
const PLACE = { tags: [TAG], security: [], servers: [{ url: '/', description: 'The authorization server.' }] };

/** Specification 5.3, 5.4: served by the authorization server itself. */
export const oauthRoutes: readonly NonGraphRoute[] = [
  {
    method: 'GET',
    path: '/oauth/authorize',
    operation: {
      operationId: 'startAuthorization',
      summary: 'Authorize an application',
      description:
        'A page for browsers: the user signs in, allows or denies, and is sent back to `redirect_uri` with `code` and `state`, or with `error`. PKCE with S256 is demanded always. A code works once, for 60 seconds.',
      ...PLACE,
      parameters: [
        query('response_type', true, '', { ...text, const: 'code' }),
        query('client_id', true, 'The id of an OAuth client of the organization.'),
        query('redirect_uri', true, 'One that the client has registered, exactly.'),
        query('scope', false, 'Scopes with spaces between, within those of the client. Default: all of them.'),
        query('state', false, 'Comes back as it is; compare it.'),
        query('code_challenge', true, 'base64url of the SHA-256 of `code_verifier`.'),
        query('code_challenge_method', true, '', { ...text, const: 'S256' }),
      ],
      responses: {
        303: {
          description: 'On to the pages, or back to `redirect_uri`; the body is a note with a link there.',
          headers: headersWith(),
          content: { 'text/html': { schema: text }, 'text/plain': { schema: text } },
        },
        400: page('Client or redirect are not known: the user is told and sent nowhere.'),
        429: page('Too many requests from this address.'),
      },
    },
  },
  {
    method: 'POST',
    path: '/oauth/token',
    operation: {
      operationId: 'requestToken',
      summary: 'Get an access token',
      description: `For an authorization code, a refresh token, a device code, or the client itself. ${SECRET}`,
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
        200: json('The token.', TOKENS, {
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
      description: `RFC 7662, for tokens of the client's organization; others are \`active: false\`. ${SECRET}`,
      ...PLACE,
      requestBody: form(['token'], texts('token', 'token_type_hint', 'client_id', 'client_secret'), { token: 'eyJhbGciOiJSUzI1NiIs…' }),
      responses: {
        200: json('What it stands for.', INTROSPECTION, {
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
      description: `RFC 7009: one of the client's own. A refresh token ends with all tokens that came of its grant. ${SECRET}`,
      ...PLACE,
      requestBody: form(['token'], texts('token', 'token_type_hint', 'client_id', 'client_secret'), { token: 'rt_3q2-7wAbCdEf…' }),
      responses: { 200: { description: 'It is not in force (any more).', headers: headersWith() }, ...FAILURES },
    },
  },
  {
    method: 'GET',
    path: '/.well-known/jwks.json',
    operation: {
      operationId: 'getJwks',
      summary: 'Get the signing keys of tokens',
      description: 'Choose by the `kid` of the token. A new key is published a day before it signs.',
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
        'RFC 8628: show `user_code` and `verification_uri` to the user, and ask for the token until they have entered it. Needs the id of the client alone; its secret is asked for with the token.',
      ...PLACE,
      requestBody: form(['client_id'], texts('client_id', 'client_secret', 'scope'), {
        client_id: 'client_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        scope: 'services.read',
      }),
      responses: {
        200: json('The codes.', DEVICE, {
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
