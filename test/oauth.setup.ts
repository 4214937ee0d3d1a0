import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { Browser, type Page } from './support/browser.ts';
import type { Json, RestResponse, Tenant } from './tenant.ts';
import { PASSWORD, type TestUser } from './users.setup.ts';

export const CALLBACK = 'https://app.example.com/callback';

export interface TestClient {
  id: string;
  secret: string | undefined;
}

/**
 * Registers an OAuth client with three scopes and all grant types; a public client does not get `client_credentials`.
 * `members` adds or replaces fields of the request.
 */
export async function registered(tenant: Tenant, members: Json = {}): Promise<TestClient> {
  const body = {
    name: 'Test app',
    redirect_uris: [CALLBACK],
    grant_types: [
      'authorization_code',
      'refresh_token',
      'device_code',
      ...(members.is_confidential === false ? [] : ['client_credentials']),
    ],
    scopes: ['services.read', 'services.write', 'support.read'],
    ...members,
  };
  const answer = await tenant.rest('POST', '/auth/oauth-clients', { body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  const { id, client_secret: secret } = answer.body.data;
  return { id, secret: secret ?? undefined };
}

export const basic = ({ id, secret = '' }: TestClient): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

/** Posts a form to an endpoint. The caller puts the client's credentials in `fields` (see `own`) or in `headers` (see `basic`). */
export async function form(
  origin: string,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<RestResponse> {
  const response = await fetch(origin + path, { method: 'POST', body: new URLSearchParams(fields), headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
}

export const own = ({ id, secret }: TestClient): Record<string, string> => ({ client_id: id, ...(secret && { client_secret: secret }) });

export interface Attempt {
  client: TestClient;
  scope?: string | undefined;
  verifier?: string;
  extra?: Record<string, string | undefined>;
}

export const newVerifier = (): string => randomBytes(32).toString('base64url');
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** The URL to which an application sends its user. */
export function authorizeUrl(origin: string, { client, scope = 'services.read', verifier = newVerifier(), extra = {} }: Attempt): string {
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: CALLBACK,
    scope: scope || undefined,
    state: 'the-state',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...extra,
  };
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${origin}/oauth/authorize?${new URLSearchParams(given)}`;
}

export const signIn = (browser: Browser, page: Page, user: Pick<TestUser, 'email'>, password = PASSWORD): Promise<Page> =>
  browser.submit(page, { email: user.email, password }, '/login');

/** Signs a user in, approves the client's request, and returns the query parameters of the callback URL. */
export async function authorized(user: TestUser, attempt: Attempt, browser = new Browser(user.origin)): Promise<URLSearchParams> {
  let page = await browser.open(authorizeUrl(user.origin, attempt));
  if (page.text.includes('<h1>Sign in</h1>')) page = await signIn(browser, page, user);
  if (page.text.includes('to act for you?</h1>')) page = await browser.submit(page, { decision: 'allow' }, '/consent');
  expect(page.url, `${page.status} ${page.text}`).toMatch(/^https:\/\/app\.example\.com\/callback\?/);
  return new URL(page.url).searchParams;
}

/** Exchanges a code for tokens. */
export function exchange(
  origin: string,
  client: TestClient,
  code: string,
  verifier: string,
  extra: Record<string, string> = {},
): Promise<RestResponse> {
  const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier, ...own(client), ...extra };
  return form(origin, '/oauth/token', fields);
}

/** Gets tokens for a user with the authorization code flow: sign-in, consent and code exchange. Returns the token response. */
export async function tokensOf(user: TestUser, client: TestClient, scope?: string, browser?: Browser): Promise<Json> {
  const verifier = newVerifier();
  const code = (await authorized(user, { client, scope, verifier }, browser)).get('code') ?? '';
  const { status, body } = await exchange(user.origin, client, code, verifier);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

export const refresh = (
  origin: string,
  client: TestClient,
  refreshToken: string,
  extra: Record<string, string> = {},
): Promise<RestResponse> =>
  form(origin, '/oauth/token', { grant_type: 'refresh_token', refresh_token: refreshToken, ...own(client), ...extra });

/** Requests an access token with the client credentials grant. The client authenticates with HTTP Basic. */
export const clientToken = (origin: string, client: TestClient, scope?: string): Promise<RestResponse> =>
  form(origin, '/oauth/token', { grant_type: 'client_credentials', ...(scope && { scope }) }, { authorization: basic(client) });

/** Returns the HTTP status of a GET request to `path` with an access token. */
export const statusWith = async (tenant: Tenant, token: string, path = '/services'): Promise<number> =>
  (await tenant.rest('GET', path, { headers: { authorization: `Bearer ${token}` } })).status;
