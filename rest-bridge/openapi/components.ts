import { errorCodes, statusOf } from '../../kernel/errors/errors.ts';
import { API_VERSION } from '../../kernel/http/api-version.ts';
import type { JsonSchema } from '../json-schema.ts';
import { type Response, ref } from './types.ts';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

const SCANNED_UNTIL: JsonSchema = {
  type: ['string', 'null'],
  format: 'date-time',
  description:
    'Set if the search ended early, because it took two seconds: entries before this time were not searched yet. Continue with `next_cursor`.',
};

export const sharedSchemas: Record<string, JsonSchema> = {
  ResponseMetadata: {
    type: 'object',
    required: ['request_id', 'timestamp', 'version'],
    properties: {
      request_id: { type: 'string', description: 'Same as the header `X-Request-Id`.', examples: ['req_01JQ8Z6V4T9M3N2B1C0D9E8F7G'] },
      timestamp: { type: 'string', format: 'date-time' },
      version: { type: 'string', examples: [API_VERSION] },
    },
  },
  Pagination: {
    type: 'object',
    required: ['page', 'per_page', 'total', 'pages', 'has_more', 'next_cursor'],
    properties: {
      page: count,
      per_page: count,
      total: count,
      pages: count,
      has_more: { type: 'boolean' },
      next_cursor: { type: ['string', 'null'], description: 'The `cursor` of the next page. Null on the last page.' },
    },
  },
  CountedPagination: {
    type: 'object',
    required: ['page', 'per_page', 'total', 'is_total_exact', 'pages', 'has_more', 'next_cursor', 'scanned_until'],
    properties: {
      page: count,
      per_page: count,
      total: { ...count, maximum: 10_000, description: 'Number of entries in the range, up to 10,000.' },
      is_total_exact: { type: 'boolean', description: 'False if there are, or may be, more entries than `total`.' },
      pages: count,
      has_more: { type: 'boolean', description: 'True if there may be more entries in the range.' },
      next_cursor: { type: ['string', 'null'], description: 'The `cursor` of the next page. Null on the last page.' },
      scanned_until: SCANNED_UNTIL,
    },
  },
  CursorPagination: {
    type: 'object',
    required: ['limit', 'has_more', 'next_cursor', 'scanned_until'],
    properties: {
      limit: count,
      has_more: { type: 'boolean', description: 'True if there may be more entries in the range.' },
      next_cursor: { type: ['string', 'null'], description: 'The `cursor` of the next page. Null on the last page.' },
      scanned_until: SCANNED_UNTIL,
    },
  },
  SupportPagination: {
    type: 'object',
    required: ['total', 'page', 'limit', 'pages', 'has_more', 'next_cursor'],
    properties: {
      total: count,
      page: count,
      limit: count,
      pages: count,
      has_more: { type: 'boolean' },
      next_cursor: { type: ['string', 'null'] },
    },
  },
  Error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'details', 'request_id'],
        properties: {
          code: { type: 'string', enum: [...errorCodes] },
          message: { type: 'string', description: 'What is wrong and what to do, for people. Programs should use `code`.' },
          details: { type: 'object', additionalProperties: true },
          request_id: text,
        },
      },
    },
  },
  MfaChallenge: {
    type: 'object',
    description: 'The caller must verify a second factor. Complete the challenge, then repeat the request.',
    required: ['error', 'challenge_id', 'methods', 'message'],
    properties: {
      error: { type: 'string', const: 'mfa_required' },
      challenge_id: text,
      methods: { type: 'array', items: { type: 'string', enum: ['totp', 'sms', 'email'] } },
      message: text,
    },
  },
};

const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } });
/** Returns a rate limit header. Its value is a number, or `unlimited` on the custom plan. */
const limitHeader = (description: string) => ({ description, schema: { type: ['integer', 'string'] } });

export const sharedHeaders = {
  'X-Request-Id': { description: 'Id of this request. Include it when you contact support.', schema: text },
  'X-RateLimit-Limit': limitHeader('Requests allowed per hour.'),
  'X-RateLimit-Remaining': limitHeader('Requests left in the current hour.'),
  'X-RateLimit-Reset': integerHeader('When the current hour window ends, in Unix seconds.'),
  'X-RateLimit-Burst': limitHeader('Requests allowed per minute.'),
  'X-RateLimit-Burst-Remaining': limitHeader('Requests left in the current minute.'),
  'X-RateLimit-Retry-After': integerHeader('Seconds to wait before the next request. 0 if you do not have to wait.'),
  'Retry-After': integerHeader('Seconds to wait before a retry.'),
  ETag: { description: 'Strong entity tag of the response, for `If-None-Match` and `If-Match`.', schema: text },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response of the first request with this `Idempotency-Key`.',
    schema: text,
  },
};

const EVERYWHERE = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Burst',
  'X-RateLimit-Burst-Remaining',
  'X-RateLimit-Retry-After',
];
export const headersWith = (...more: string[]): NonNullable<Response['headers']> =>
  Object.fromEntries([...EVERYWHERE, ...more].map((name) => [name, ref('headers', name)]));

const ERRORS: Record<number, readonly [string, string]> = {
  400: [
    'BadRequest',
    'The request is not valid. `details.errors` lists the first 20 invalid fields with reasons; `details.problems_total` is the total number.',
  ],
  401: ['Unauthorized', 'Credentials are missing or not valid.'],
  402: ['PaymentRequired', 'The payment was declined, or there are insufficient funds.'],
  403: ['Forbidden', 'The caller is not allowed to do this.'],
  404: ['NotFound', 'The record does not exist, or the caller cannot access it.'],
  409: ['Conflict', 'The request conflicts with the state of the record, or with an earlier request.'],
  413: ['BodyTooLarge', 'The body is larger than this operation accepts.'],
  415: ['UnsupportedMediaType', 'The body is not application/json in UTF-8, or its `Content-Encoding` is not gzip, deflate or br.'],
  429: ['TooManyRequests', 'A limit of the plan is reached.'],
  500: ['InternalError', 'An internal error occurred.'],
  503: ['ServiceUnavailable', 'The platform cannot reach its database, or cannot store data at the moment.'],
};

export const errorResponse = (status: number) => ref('responses', ERRORS[status]?.[0] ?? 'InternalError');

/**
 * Returns the schema of an error response. A 403 that demands a second factor has its own format (specification 2.4).
 */
const errorSchema = (status: string): JsonSchema =>
  status === '403' ? { anyOf: [ref('schemas', 'Error'), ref('schemas', 'MfaChallenge')] } : { ...ref('schemas', 'Error') };

export const sharedResponses: Record<string, Response> = {
  NotModified: { description: 'The ETag in `If-None-Match` is still current. The response has no body.', headers: headersWith('ETag') },
  ...Object.fromEntries(
    Object.entries(ERRORS).map(([status, [name, description]]) => {
      const codes = errorCodes
        .filter((code) => statusOf(code) === Number(status))
        .map((code) => `\`${code}\``)
        .join(', ');
      const headers = headersWith(...(status === '429' || status === '503' ? ['Retry-After'] : []));
      return [
        name,
        {
          description: `${description} Codes: ${codes}.`,
          headers,
          content: { 'application/json': { schema: errorSchema(status) } },
        },
      ];
    }),
  ),
};

export const sharedParameters = {
  ApiVersion: {
    name: 'API-Version',
    in: 'header',
    description: `The API version to use. Default: ${API_VERSION}.`,
    schema: { type: 'string', examples: [API_VERSION] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'An ETag from an earlier response. If it is still current, the response is 304.',
    schema: text,
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag from a GET of this path. The response is 409 STALE_RESOURCE if the record has changed since then.',
    schema: text,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    description:
      'If you repeat a request with the same key within 24 hours, you get the first response again and the operation does not run twice. The same key with another body gets 409.',
  },
};

/**
 * Returns the OAuth scope of a permission: `support.read` for `support:read`. Permissions to operate the platform have
 * no scope.
 */
export const scopeOf = (permission: string): string | undefined =>
  permission.startsWith('platform:') ? undefined : permission.replace(':', '.');

/**
 * Returns the ways to authenticate. `oauth2` describes how an application gets an access token. The other schemes
 * describe how to send credentials.
 */
export const securitySchemes = (authOrigin: string, permissions: readonly string[]) => ({
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key (`sk_live_…`) or an OAuth access token.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key (`sk_live_…`).' },
  mutualTLS: {
    type: 'mutualTLS',
    description: 'A registered client certificate (`POST /auth/certificates`). It is used only if the request sends no other credentials.',
  },
  oauth2: {
    type: 'oauth2',
    description: 'An access token for an application. The authorization code flow requires PKCE with S256.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${authOrigin}/oauth/authorize`,
        tokenUrl: `${authOrigin}/oauth/token`,
        refreshUrl: `${authOrigin}/oauth/token`,
        scopes: scopesOf(permissions),
      },
      clientCredentials: { tokenUrl: `${authOrigin}/oauth/token`, scopes: scopesOf(permissions) },
    },
  },
});

const scopesOf = (permissions: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    permissions.flatMap((permission) => {
      const scope = scopeOf(permission);
      return scope ? [[scope, `The permission \`${permission}\`.`]] : [];
    }),
  );

/**
 * Returns the ways to authenticate for an operation that requires `permission` and those in `also`. If `permission` is undefined, any valid
 * credentials are accepted.
 */
export const securityOf = (permission: string | undefined, also: readonly string[] = []): Record<string, string[]>[] => {
  const scope = permission && scopeOf(permission);
  return [
    { bearer: [] },
    { apiKey: [] },
    { mutualTLS: [] },
    ...(permission === undefined ? [{ oauth2: [] }] : scope ? [{ oauth2: [scope, ...also.flatMap((one) => scopeOf(one) ?? [])] }] : []),
  ];
};
