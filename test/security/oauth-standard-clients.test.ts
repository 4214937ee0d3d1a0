import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { CALLBACK, registered, signIn, statusWith, type TestClient } from '../oauth.setup.ts';
import { rig } from '../rig.ts';
import { Browser } from '../support/browser.ts';
import type { Tenant } from '../tenant.ts';
import { PASSWORD, type TestUser, userOf } from '../users.setup.ts';

let tenant: Tenant;
let user: TestUser;
let client: TestClient;
beforeAll(async () => {
  tenant = await (await rig()).organization();
  user = await userOf(tenant, 'admin');
  client = await registered(tenant);
});

/** Signs in and consents as the user, and returns the callback URL with the code. */
async function allowed(url: string): Promise<URL> {
  const browser = new Browser(tenant.origin);
  const consent = await signIn(browser, await browser.open(url), user);
  return new URL((await browser.submit(consent, { decision: 'allow' }, '/consent')).url);
}

describe('library openid-client', () => {
  const discovered = (auth?: openid.ClientAuth, to = client) =>
    openid.discovery(new URL(tenant.origin), to.id, to.secret, auth, {
      execute: [openid.allowInsecureRequests],
      algorithm: 'oauth2',
    });

  test('openid-client can get tokens with a code and PKCE, and refresh, introspect and revoke them', async () => {
    const config = await discovered();
    const verifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'services.read support.read',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: 'the-state',
    });
    const tokens = await openid.authorizationCodeGrant(config, await allowed(url.href), {
      pkceCodeVerifier: verifier,
      expectedState: 'the-state',
    });
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'services.read support.read', user_id: user.id });
    expect(await statusWith(tenant, tokens.access_token)).toBe(200);

    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(await openid.tokenIntrospection(config, refreshed.access_token)).toMatchObject({ active: true, sub: user.id });
    await openid.tokenRevocation(config, refreshed.access_token);
    expect(await openid.tokenIntrospection(config, refreshed.access_token)).toEqual({ active: false });
    expect(await statusWith(tenant, refreshed.access_token)).toBe(401);
  });

  test('openid-client can get a client_credentials token with the secret in the header or in the form', async () => {
    for (const auth of [openid.ClientSecretBasic(client.secret ?? ''), openid.ClientSecretPost(client.secret ?? '')]) {
      const tokens = await openid.clientCredentialsGrant(await discovered(auth), { scope: 'services.read' });
      expect(tokens.scope).toBe('services.read');
    }
  });

  test('openid-client can get a token with the device flow', async () => {
    const config = await discovered();
    const started = await openid.initiateDeviceAuthorization(config, { scope: 'services.read' });
    const polling = openid.pollDeviceAuthorizationGrant(config, { ...started, interval: 1 });
    const browser = new Browser(tenant.origin);
    const confirm = await browser.submit(await browser.open(started.verification_uri), { user_code: started.user_code });
    const consent = await signIn(browser, await browser.submit(confirm, { confirm: 'yes' }), user);
    await browser.submit(consent, { decision: 'allow' }, '/consent');
    expect(await statusWith(tenant, (await polling).access_token)).toBe(200);
  });

  test('openid-client rejects a callback whose state differs from the expected state', async () => {
    const config = await discovered();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'services.read',
      code_challenge: await openid.calculatePKCECodeChallenge(openid.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
      state: 'mine',
    });
    await expect(openid.authorizationCodeGrant(config, await allowed(url.href), { expectedState: 'another' })).rejects.toThrow();
  });
});

describe('library oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true };

  async function server(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(tenant.origin);
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }));
  }

  test('oauth4webapi can get tokens as a public client with PKCE, and reusing a refresh token revokes the access token', async () => {
    const open = await registered(tenant, { is_confidential: false });
    const [as, own, none] = [await server(), { client_id: open.id }, oauth.None()];
    const verifier = oauth.generateRandomCodeVerifier();
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: open.id,
      redirect_uri: CALLBACK,
      scope: 'services.read',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: 'the-state',
    }).toString();
    const parameters = oauth.validateAuthResponse(as, own, await allowed(url.href), 'the-state');
    const response = await oauth.authorizationCodeGrantRequest(as, own, none, parameters, CALLBACK, verifier, insecure);
    const tokens = await oauth.processAuthorizationCodeResponse(as, own, response);
    const next = await oauth.processRefreshTokenResponse(
      as,
      own,
      await oauth.refreshTokenGrantRequest(as, own, none, tokens.refresh_token ?? '', insecure),
    );
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    expect(await statusWith(tenant, next.access_token)).toBe(200);

    const replayed = await oauth.refreshTokenGrantRequest(as, own, none, tokens.refresh_token ?? '', insecure);
    await expect(oauth.processRefreshTokenResponse(as, own, replayed)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(await statusWith(tenant, next.access_token)).toBe(401);
  });

  test('oauth4webapi can get, introspect and revoke a client_credentials token as a confidential client', async () => {
    const [as, own, secret] = [await server(), { client_id: client.id }, oauth.ClientSecretBasic(client.secret ?? '')];
    const parameters = new URLSearchParams({ scope: 'services.read' });
    const response = await oauth.clientCredentialsGrantRequest(as, own, secret, parameters, insecure);
    const { access_token } = await oauth.processClientCredentialsResponse(as, own, response);
    const introspect = async () =>
      oauth.processIntrospectionResponse(as, own, await oauth.introspectionRequest(as, own, secret, access_token, insecure));
    expect(await introspect()).toMatchObject({ active: true, client_id: client.id, sub: client.id });
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, own, secret, access_token, insecure));
    expect(await introspect()).toEqual({ active: false });
  });
});

test("the log of the OAuth flows does not contain the user's password", async () => {
  const { logged } = await rig();
  expect(logged.join()).not.toContain(PASSWORD);
});
