import type { JsonSchema } from '../json-schema.ts';
import { errorResponse, headersWith } from '../openapi/components.ts';
import type { Operation } from '../openapi/types.ts';
import { del, get, type LargeBody, type NonGraphRoute, post, put, type Route, view } from '../route.ts';

/** A certificate for examples, whose private key nobody has. */
const CERTIFICATE = [
  '-----BEGIN CERTIFICATE-----',
  'MIIDFzCCAf+gAwIBAgIUYqlUpMq5L2OkPJLtzQnqpg8NqWcwDQYJKoZIhvcNAQEL',
  'BQAwGjEYMBYGA1UEAwwPaWRwLmV4YW1wbGUuY29tMCAXDTI2MTEyMTExMzMxOVoY',
  'DzIxMjYxMDI4MTEzMzE5WjAaMRgwFgYDVQQDDA9pZHAuZXhhbXBsZS5jb20wggEi',
  'MA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQC4wjzFqaMb+nBhK0QSOYSRDyy2',
  '7AU8L5fr9I3Zrg4ilsZ3oteZwc9RpqB8O5aKSvdUyTpIiQSvDLiRvshI3xVqHRDA',
  'fV96hjtPeMBMcB2cB0aW4jcSwjuyLbdg0EXHh30NiOt9lTax5Nn2d5qoDIwCSkPK',
  '9VLWQ+6LiXOkq6PkLqxNSm8jFmoDEPqnlkkbiBk8C0aZC0OJbhfbk2mpUnrncmRu',
  '8CyOHqC3mEDMlbW7KnVKBzYkFUMZyqZQOxLvi2RiAmVlQxzOkw/pCSlw61dQXcU8',
  'jKbBgEfPNQ97Dot6NSC8ZiSxkx7WiiSS8qqa0wh6L8RduVtMEAIQiFw+qxWNAgMB',
  'AAGjUzBRMB0GA1UdDgQWBBTV0SXmFH4wucHbBdSuLH+BNuUadjAfBgNVHSMEGDAW',
  'gBTV0SXmFH4wucHbBdSuLH+BNuUadjAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3',
  'DQEBCwUAA4IBAQBeW637R2UaGm3/yRPCBfQleQ004cpXvxgmzn7s19mJdaV4Q7mT',
  'Ozqhe4KdqPxZOHGSg69vzxpBeKu7dcDQLiwv9sUFPIfNkCorpfiP1x4k1E+iJC+p',
  'Bsy2VCwu3gY0nzJJAJOXHc8O3WWZtPDTSG0wMGVzXitB1yLeWE6pPsVaDNc78SU5',
  'kc5HWl/xP/jVq2DIo6Eqn94XFq+hg7zTGRlzlXfeuyXRQNa4X/8AcFqw5n6jvLDg',
  'kfKUR4XRW3T9TJrBEs7dl+Bl0vsx/ybYxyWBmwreEikY3nps4Dkp1z+Xh806Lvfk',
  'lFqtxqZL5MemGvX+8orJRebrKIf/lVYk0QI/',
  '-----END CERTIFICATE-----',
].join('\n');

const METADATA: LargeBody = { mebibytes: 1, reason: 'metadata has up to 262,144 characters, and the body can also contain certificates' };

/**
 * The fields of an e-mail domain in REST. `checkedAt` is left out, because the platform updates it regularly, and each
 * update would change the ETag.
 */
const DOMAIN = '{ domain status txtName txtValue problem provenAt worksUntil }';
const connection = view('SamlConnection', `{ ...fields roleMappings domains ${DOMAIN} }`);

/**
 * Additions to specification 5.6. The specification defines how users sign in, but not how an identity provider is
 * registered.
 */
export const samlConnectionRoutes: readonly Route[] = [
  get('listSamlConnections', '/auth/saml-connections', 'samlConnections', {
    summary: 'List SAML connections',
    select: connection,
    addition: true,
  }),
  post('createSamlConnection', '/auth/saml-connections', 'createSamlConnection', {
    summary: 'Create a SAML connection',
    errors: { DUPLICATE_RESOURCE: 'a domain belongs to another connection' },
    largeBody: METADATA,
    description:
      'Registers an identity provider through which users of the organization sign in. Configure it with `metadata_xml`, with `metadata_url`, or with `idp_entity_id`, `sso_url` and `certificates`. If you send none of these fields, the response contains the values that you need for the setup at the identity provider: `sp_entity_id` and `acs_url`. The users cannot get more permissions than the user who registers the connection. Only users with an e-mail address of a proven domain can sign in. To prove a domain, publish the TXT record in `domains`. The platform finds the record within minutes.',
    select: connection,
    addition: true,
    example: {
      name: 'Acme directory',
      email_domains: ['acme.example.com'],
      idp_entity_id: 'https://idp.acme.example.com/metadata',
      sso_url: 'https://idp.acme.example.com/sso',
      certificates: [CERTIFICATE],
    },
  }),
  get('getSamlConnection', '/auth/saml-connections/{connection_id}', 'samlConnection', {
    summary: 'Get a SAML connection',
    select: connection,
    addition: true,
  }),
  put('updateSamlConnection', '/auth/saml-connections/{connection_id}', 'updateSamlConnection', {
    summary: 'Update a SAML connection',
    largeBody: METADATA,
    description:
      'Changes a SAML connection. Omit a field to keep its value. To replace a certificate without downtime, send the old and the new certificate together.',
    select: connection,
    addition: true,
    example: { name: 'Directory of Acme', certificates: [CERTIFICATE] },
  }),
  del('deleteSamlConnection', '/auth/saml-connections/{connection_id}', 'deleteSamlConnection', {
    summary: 'Delete a SAML connection',
    select: connection,
    addition: true,
  }),
];

const text: JsonSchema = { type: 'string' };
const form = (properties: Record<string, JsonSchema>, required: string[]): Operation['requestBody'] => ({
  required: true,
  content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties, required } } },
});
const failures = (...codes: number[]) => Object.fromEntries(codes.map((code) => [code, errorResponse(code)]));

const TOKENS: JsonSchema = {
  type: 'object',
  required: ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope', 'user_id'],
  properties: {
    access_token: { ...text, description: 'Access token (JWT) for the header `Authorization: Bearer`.' },
    token_type: { ...text, const: 'Bearer' },
    expires_in: { type: 'integer', description: 'Lifetime of the access token in seconds.' },
    refresh_token: { ...text, description: 'Refresh token for `POST /v1/auth/refresh`.' },
    scope: { ...text, description: 'Permissions, separated by spaces, such as `services.read support.create`.' },
    user_id: text,
  },
};
const example = {
  access_token: 'eyJhbGciOiJSUzI1NiJ9.EXAMPLE.EXAMPLE',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'rt_EXAMPLEEXAMPLEEXAMPLE',
  scope: 'services.read support.read',
  user_id: 'user_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
};
const tokens = {
  description: 'The tokens of the new session.',
  headers: headersWith(),
  content: { 'application/json': { schema: TOKENS, example } },
};
const SERVED_AT = {
  tags: ['Credentials'],
  security: [],
  servers: [{ url: '/', description: 'The SAML service provider. The path is not under `/v1`.' }],
};

const RELAY_STATE = 'Address to which the browser is redirected after the sign-in: a path, or a URL of this origin.';
const query = (name: string, description: string) => ({ name, in: 'query' as const, description, schema: text });

const routes: Omit<NonGraphRoute, 'servedBy'>[] = [
  {
    method: 'GET',
    path: '/saml/metadata',
    operation: {
      operationId: 'getSamlMetadata',
      summary: 'Get the metadata of the SAML service provider',
      description:
        'Gets the metadata of the platform as a SAML service provider. With `connection`, this is the metadata of that connection, which has its own entity id. Without `connection`, this is the metadata that all connections share.',
      ...SERVED_AT,
      parameters: [query('connection', 'The id of a connection (`saml_…`).')],
      responses: {
        200: {
          description: 'The metadata.',
          headers: headersWith(),
          content: {
            'application/samlmetadata+xml': {
              schema: text,
              example:
                '<?xml version="1.0"?>\n<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://api.example.com/saml/metadata">…</EntityDescriptor>',
            },
          },
        },
        ...failures(400, 404, 429, 500),
      },
    },
  },
  {
    method: 'GET',
    path: '/saml/sso',
    operation: {
      operationId: 'startSamlSignIn',
      summary: 'Start a SAML sign-in',
      description:
        'Redirects the browser to the identity provider. `connection`, the domain of `email`, or the Issuer of `SAMLRequest` selects the identity provider.',
      ...SERVED_AT,
      parameters: [
        query('connection', 'The id of a connection (`saml_…`).'),
        query('email', 'An e-mail address whose domain belongs to a connection.'),
        query(
          'SAMLRequest',
          'An AuthnRequest with the entity id of a connection as Issuer, encoded as base64, deflated or not. It is forwarded unchanged.',
        ),
        query('RelayState', RELAY_STATE),
      ],
      responses: { 302: { description: 'Redirects to the identity provider.', headers: headersWith() }, ...failures(400, 404, 429, 500) },
    },
  },
  {
    method: 'POST',
    path: '/saml/acs',
    operation: {
      operationId: 'consumeSamlAssertion',
      summary: 'Consume a SAML response',
      description:
        'Receives a SAML response and signs the user in. The operation is the assertion consumer service with the HTTP-POST binding. Response and assertion must be signed. The attribute `email` is required; `groups` are mapped to roles. Responds with tokens. If `RelayState` is sent, redirects the browser to that address with a `code` for `POST /saml/token`.',
      ...SERVED_AT,
      requestBody: form(
        {
          SAMLResponse: { ...text, description: 'The SAML response, encoded as base64.' },
          RelayState: { ...text, description: RELAY_STATE },
        },
        ['SAMLResponse'],
      ),
      responses: {
        200: tokens,
        303: { description: 'Redirects to `RelayState` with a `code`.', headers: headersWith() },
        ...failures(400, 401, 403, 413, 415, 429, 500),
      },
    },
  },
  {
    method: 'POST',
    path: '/saml/token',
    operation: {
      operationId: 'exchangeSamlCode',
      summary: 'Exchange a SAML sign-in code for tokens',
      description: 'Exchanges the `code` of a SAML sign-in for tokens. A code works once, within a minute.',
      ...SERVED_AT,
      requestBody: form({ code: text }, ['code']),
      responses: { 200: tokens, ...failures(400, 401, 413, 415, 429, 500) },
      'x-addition': true,
    },
  },
];

/**
 * Sign-in with SAML (specification 5.6). The identity domain serves these operations, because they use forms, redirects
 * and XML.
 */
export const samlRoutes: readonly NonGraphRoute[] = routes.map((route) => ({ ...route, servedBy: 'saml' }));
