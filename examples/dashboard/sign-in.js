/**
 * Signs the user in with OAuth: authorization code flow with PKCE. Tokens are stored only in memory, so the user is
 * redirected to the sign-in page again after a reload.
 */

const origin = import.meta.env.VITE_ORIGIN;
const clientId = import.meta.env.VITE_CLIENT_ID;
const scope = 'support.read';
const redirectUri = location.origin + location.pathname;
const RENEW_BEFORE_MS = 60_000;

let tokens;

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** Returns an access token. Redirects the user to the sign-in page if there is no token. */
export async function accessToken() {
  tokens ??= await tokensOfCode();
  if (!tokens) return signIn();
  if (Date.now() > tokens.expiresAt - RENEW_BEFORE_MS)
    tokens = await request({ grant_type: 'refresh_token', refresh_token: tokens.refreshToken });
  return tokens.accessToken;
}

async function signIn() {
  const [state, verifier] = [random(), random()];
  sessionStorage.setItem('sign-in', JSON.stringify({ state, verifier }));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const parameters = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope, state };
  const challenge = { code_challenge: base64url(new Uint8Array(digest)), code_challenge_method: 'S256' };
  location.assign(`${origin}/oauth/authorize?${new URLSearchParams({ ...parameters, ...challenge })}`);
  // never resolves, because the browser is leaving this page
  return new Promise(() => undefined);
}

/** Exchanges the authorization code in the address of the page for tokens. Returns undefined if there is no code. */
async function tokensOfCode() {
  const { state, verifier } = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}');
  const answer = new URLSearchParams(location.search);
  sessionStorage.removeItem('sign-in');
  history.replaceState(null, '', redirectUri);
  if (answer.has('error')) throw new Error(`Sign-in failed: ${answer.get('error')}.`);
  if (!answer.has('code') || answer.get('state') !== state) return undefined;
  return request({ grant_type: 'authorization_code', code: answer.get('code'), redirect_uri: redirectUri, code_verifier: verifier });
}

async function request(parameters) {
  const response = await fetch(`${origin}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, ...parameters }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(`There is no token: ${body.error}.`);
  return { accessToken: body.access_token, refreshToken: body.refresh_token, expiresAt: Date.now() + body.expires_in * 1000 };
}
