import { area, del, get, post, put, view } from '../route.ts';
import { certificates } from './certificates.ts';
import { samlConnectionRoutes } from './saml.ts';

const EXAMPLE = {
  name: 'Monitoring',
  description: 'Reads the state of services for the operations dashboard',
  permissions: ['services:read', 'support:read'],
  rate_limit: { requests_per_minute: 600, burst_limit: 100 },
  restrictions: {
    ip_whitelist: ['203.0.113.0/24', '2001:db8::/32'],
    expires_at: '2036-01-31T00:00:00.000Z',
    time_windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '18:00', timezone: 'Europe/Berlin' }],
  },
};

const pendingChallenge = view('PendingMfaChallenge', '{ challenge_id: id methods codeSentTo expiresAt }');
const enrolment = view('MfaEnrolment', '{ ...fields method }');

const tokens = view('SessionTokens', '{ ...fields user }');
const caller = view('CallerIdentity', '{ ...fields user }');

const CLIENT_EXAMPLE = {
  name: 'Status dashboard',
  description: 'Shows the state of services on the wall',
  redirect_uris: ['https://dashboard.example.com/callback'],
  grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
  scopes: ['services.read', 'monitoring.read'],
  homepage_url: 'https://dashboard.example.com',
};

/** REST routes of logins, API keys and tokens (specification 4.1). */
export const credentials = area(
  'Credentials',
  'Authentication: logins of users, and the keys, tokens and certificates of programs.',
  [
    post('loginUser', '/auth/login', 'login', {
      summary: 'Log in',
      errors: { INVALID_CREDENTIALS: 'the e-mail address or the password is wrong' },
      description:
        'Logs a user in with e-mail address and password. After five failed attempts for one e-mail address from one IP address within 15 minutes, further attempts get 429. IPv6 addresses of the same /64 network count as one address.',
      access: 'public',
      status: 200,
      select: tokens,
      example: { email: 'grace@acme.example.com', password: 'a long enough passphrase' },
    }),
    post('refreshSession', '/auth/refresh', 'refreshSession', {
      summary: 'Refresh a session',
      errors: { INVALID_CREDENTIALS: 'the token is not valid or was already used' },
      description:
        'Exchanges a refresh token for new tokens. A refresh token works once. If it is used a second time, the session ends, because the token may have been stolen.',
      access: 'public',
      status: 200,
      select: tokens,
      example: { refresh_token: 'rt_3q2-7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789' },
    }),
    post('logoutUser', '/auth/logout', 'logout', {
      summary: 'Log out',
      description: 'Ends the session of this request and revokes all its tokens.',
      status: 200,
    }),
    get('verifySession', '/auth/verify', 'callerIdentity', { summary: 'Get the authenticated caller', select: caller }),
    get('listSessions', '/auth/sessions', 'sessions', { summary: 'List open sessions', addition: true }),
    del('endSession', '/auth/sessions/{session_id}', 'endSession', { summary: 'Delete a session', addition: true }),
    post('requestPasswordReset', '/auth/password/reset', 'requestPasswordReset', {
      summary: 'Request a password reset',
      description: 'Sends an e-mail with a link if the user exists. The response does not say whether the user exists.',
      access: 'public',
      status: 202,
      addition: true,
      example: { email: 'grace@acme.example.com' },
    }),
    post('choosePassword', '/auth/password', 'choosePassword', {
      summary: 'Set a password with a link from an e-mail',
      errors: { INVALID_CREDENTIALS: 'the link is no longer valid' },
      access: 'public',
      status: 200,
      addition: true,
      example: { token: '3q2-7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789ab', password: 'a long enough passphrase' },
    }),
    post('changePassword', '/auth/password/change', 'changePassword', {
      summary: 'Change your password',
      description: 'Changes your password. Ends all your other sessions.',
      status: 200,
      addition: true,
      example: { current_password: 'a long enough passphrase', new_password: 'a longer and better passphrase' },
    }),
    post('verifyMfaChallenge', '/auth/mfa/verify', 'verifyMfaChallenge', {
      summary: 'Verify a second factor',
      errors: {
        INVALID_CREDENTIALS: 'the code is wrong',
        INVALID_STATE: 'the challenge is already completed, expired, or ended by wrong codes',
      },
      description:
        'Completes a second-factor challenge with a code. A correct code verifies the session for 15 minutes. After that, repeat the request that required the second factor. You can send a backup code instead of any other code. A code works once. Five wrong codes end the challenge.',
      status: 200,
      example: { challenge_id: 'mfac_01JQ8Z6V4T9M3N2B1C0D9E8F7G', method: 'totp', code: '492039' },
    }),
    post('createMfaChallenge', '/auth/mfa/challenges', 'createMfaChallenge', {
      summary: 'Create a second-factor challenge',
      select: pendingChallenge,
      addition: true,
    }),
    post('sendMfaCode', '/auth/mfa/challenges/{challenge_id}/send', 'sendMfaCode', {
      summary: 'Send a second-factor code',
      description: 'Sends a new code by SMS or e-mail. The previous code stops working. At most six codes are sent in an hour.',
      status: 200,
      select: pendingChallenge,
      addition: true,
      example: { method: 'sms' },
    }),
    get('listMfaMethods', '/auth/mfa/methods', 'mfaMethods', { summary: 'List second factors', addition: true }),
    post('setupTotp', '/auth/mfa/totp/setup', 'setupTotp', {
      summary: 'Set up an authenticator',
      description:
        'Sets up an authenticator app as a second factor. The second factor is required from now on. Only this response contains the secret and the backup codes. You can repeat the setup until the first code is verified; after that, repeating it requires a second factor.',
    }),
    post('setupSms', '/auth/mfa/sms/setup', 'setupSms', {
      summary: 'Set up codes by SMS',
      description:
        'Sets up SMS as a second factor: sends a code by SMS. The phone number becomes a second factor when you verify the challenge with that code.',
      select: enrolment,
      addition: true,
      example: { phone: '+1 212 555 0100' },
    }),
    post('setupEmail', '/auth/mfa/email/setup', 'setupEmail', {
      summary: 'Set up codes by e-mail',
      description:
        "Sets up e-mail as a second factor: sends a code to the user's e-mail address. The address becomes a second factor when you verify the challenge with that code.",
      select: enrolment,
      addition: true,
    }),
    del('deleteMfaMethod', '/auth/mfa/methods/{method_id}', 'deleteMfaMethod', { summary: 'Delete a second factor', addition: true }),
    post('createBackupCodes', '/auth/mfa/backup-codes', 'createBackupCodes', { summary: 'Create backup codes', addition: true }),
    del('resetUserMfa', '/auth/mfa/users/{user_id}', 'resetUserMfa', {
      summary: 'Delete the second factors of a user',
      description:
        'Deletes all second factors of a user. Use this operation for a user who has lost their second factors. The user is notified by e-mail.',
      addition: true,
    }),
    get('listAuditRecords', '/auth/audit', 'auditRecords', {
      summary: 'List audit records',
      description: 'Lists every authentication, successful or not, and every change of credentials, newest first.',
      addition: true,
    }),
    get('getUserRestrictions', '/auth/restrictions', 'userRestrictions', {
      summary: 'Get the restrictions of users',
      description:
        'Get the networks and countries from which users of the organization can log in and use their tokens, and the hours in which they can. API keys have their own restrictions.',
      addition: true,
    }),
    put('updateUserRestrictions', '/auth/restrictions', 'updateUserRestrictions', {
      summary: 'Update the restrictions of users',
      description:
        'Changes the restrictions of users. Omit a field to keep its value. An empty list restricts nothing. A change that would lock you out is rejected.',
      addition: true,
      example: { ip_whitelist: ['0.0.0.0/0', '::/0'], time_windows: [] },
    }),
    get('listApiKeys', '/auth/api-keys', 'apiKeys', {
      summary: 'List API keys',
      description: 'Lists the API keys, newest first. The response does not contain the keys themselves.',
    }),
    post('createApiKey', '/auth/api-keys', 'createApiKey', {
      summary: 'Create an API key',
      description:
        'Creates an API key. Only this response contains the key itself, because only its hash is stored. The key cannot have permissions that the caller does not have.',
      wrap: 'api_key',
      example: EXAMPLE,
    }),
    get('listOAuthClients', '/auth/oauth-clients', 'oauthClients', { summary: 'List OAuth clients', addition: true }),
    post('createOAuthClient', '/auth/oauth-clients', 'createOAuthClient', {
      summary: 'Register an OAuth client',
      description:
        'Registers an OAuth client. Only this response, and the response of a rotation, contain the client secret. The scopes cannot exceed the permissions of the caller.',
      addition: true,
      example: CLIENT_EXAMPLE,
    }),
    get('getOAuthClient', '/auth/oauth-clients/{oauth_client_id}', 'oauthClient', {
      summary: 'Get an OAuth client',
      resource: 'oauth_client',
      addition: true,
    }),
    put('updateOAuthClient', '/auth/oauth-clients/{oauth_client_id}', 'updateOAuthClient', {
      summary: 'Update an OAuth client',
      description:
        'Changes an OAuth client. Existing tokens immediately lose the scopes that you remove. If you deactivate a client, all its tokens are revoked.',
      addition: true,
      example: { name: 'Status dashboard', redirect_uris: ['https://status.example.com/callback'] },
    }),
    post('rotateOAuthClientSecret', '/auth/oauth-clients/{oauth_client_id}/rotate', 'rotateOAuthClientSecret', {
      summary: 'Rotate the secret of an OAuth client',
      status: 200,
      addition: true,
      example: { grace_period: 3600, revoke_tokens: false },
    }),
    del('deleteOAuthClient', '/auth/oauth-clients/{oauth_client_id}', 'deleteOAuthClient', {
      summary: 'Delete an OAuth client',
      description: 'Deletes an OAuth client. All its tokens are revoked.',
      addition: true,
    }),
    get('getApiKey', '/auth/api-keys/{key_id}', 'apiKey', {
      summary: 'Get an API key',
      description: 'Gets an API key by id. The response does not contain the key itself.',
      addition: true,
    }),
    put('updateApiKey', '/auth/api-keys/{key_id}', 'updateApiKey', {
      summary: 'Update an API key',
      description: 'Changes an API key. Omit a field to keep its value. The caller must have all permissions of the key.',
      example: { description: 'Reads the state of services', permissions: ['services:read'], require_signature: false },
    }),
    del('deleteApiKey', '/auth/api-keys/{key_id}', 'deleteApiKey', {
      summary: 'Delete an API key',
      errors: { INVALID_STATE: 'a key cannot delete itself' },
      description: 'Deletes an API key. The key stops working everywhere within seconds. A key cannot delete itself.',
    }),
    post('rotateApiKey', '/auth/api-keys/{key_id}/rotate', 'rotateApiKey', {
      summary: 'Rotate an API key',
      errors: { INVALID_STATE: 'the key has expired' },
      description:
        'Replaces the key and its signing secret. Only this response contains the new key and secret. The id, permissions and counters do not change. The old key and secret stay valid for `grace_period` seconds.',
      status: 200,
      example: { grace_period: 3600 },
    }),
    get('listTrustedIssuers', '/auth/trusted-issuers', 'trustedIssuers', { summary: 'List trusted issuers', addition: true }),
    post('createTrustedIssuer', '/auth/trusted-issuers', 'createTrustedIssuer', {
      summary: 'Create a trusted issuer',
      errors: { DUPLICATE_RESOURCE: 'the issuer is already registered with this audience' },
      description:
        'Creates a trusted issuer. Bearer tokens with its issuer and audience are accepted for the organization, with at most the permissions in `permissions`. The tokens must be JWTs that are signed with RS256, PS256, ES256 or EdDSA. Some issuers, such as build services, create tokens for any audience on request. For these issuers, set `subjects`.',
      addition: true,
      example: {
        name: 'Build service',
        issuer: 'https://tokens.example.com',
        audience: 'https://api.acme.example.com',
        jwks_uri: 'https://tokens.example.com/.well-known/jwks.json',
        permissions: ['services:read'],
        permissions_claim: 'scope',
        subjects: ['repo:acme/deploy:*'],
      },
    }),
    get('getTrustedIssuer', '/auth/trusted-issuers/{issuer_id}', 'trustedIssuer', { summary: 'Get a trusted issuer', addition: true }),
    put('updateTrustedIssuer', '/auth/trusted-issuers/{issuer_id}', 'updateTrustedIssuer', {
      summary: 'Update a trusted issuer',
      description:
        'Changes a trusted issuer. Omit a field to keep its value. The caller must have all permissions that the tokens of the issuer can have.',
      addition: true,
      example: { permissions: ['services:read'], subjects: [] },
    }),
    del('deleteTrustedIssuer', '/auth/trusted-issuers/{issuer_id}', 'deleteTrustedIssuer', {
      summary: 'Delete a trusted issuer',
      description: 'Deletes a trusted issuer. Its tokens stop working everywhere within seconds.',
      addition: true,
    }),
    ...certificates,
    ...samlConnectionRoutes,
  ],
  'Access',
);
