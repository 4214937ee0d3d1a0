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

/** Specification 4.1. */
export const credentials = area(
  'Credentials',
  'Who calls: logins of users, and the keys and certificates that programs call with.',
  [
    post('loginUser', '/auth/login', 'login', {
      summary: 'Log in',
      errors: { INVALID_CREDENTIALS: 'the address or the password is wrong' },
      description: 'By e-mail address and password. After five failures from one place the address is refused there for 15 minutes.',
      access: 'public',
      status: 200,
      select: tokens,
      example: { email: 'grace@acme.example.com', password: 'a long enough passphrase' },
    }),
    post('refreshSession', '/auth/refresh', 'refreshSession', {
      summary: 'Refresh a session',
      errors: { INVALID_CREDENTIALS: 'the token is not valid or was used' },
      description: 'A refresh token works once. One that comes a second time ends the session: it was stolen.',
      access: 'public',
      status: 200,
      select: tokens,
      example: { refresh_token: 'rt_3q2-7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789' },
    }),
    post('logoutUser', '/auth/logout', 'logout', { summary: 'Log out', description: 'Ends the session and all its tokens.', status: 200 }),
    get('verifySession', '/auth/verify', 'callerIdentity', { summary: 'Get the caller', select: caller }),
    get('listSessions', '/auth/sessions', 'sessions', { summary: 'List open sessions', addition: true }),
    del('endSession', '/auth/sessions/{session_id}', 'endSession', { summary: 'Delete a session', addition: true }),
    post('requestPasswordReset', '/auth/password/reset', 'requestPasswordReset', {
      summary: 'Request a password reset',
      description: 'Mails a link, if there is such a user; the answer does not tell.',
      access: 'public',
      status: 202,
      addition: true,
      example: { email: 'grace@acme.example.com' },
    }),
    post('choosePassword', '/auth/password', 'choosePassword', {
      summary: 'Set a password with a mailed link',
      errors: { INVALID_CREDENTIALS: 'the link is not valid any more' },
      access: 'public',
      status: 200,
      addition: true,
      example: { token: '3q2-7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789ab', password: 'a long enough passphrase' },
    }),
    post('changePassword', '/auth/password/change', 'changePassword', {
      summary: 'Change your password',
      description: 'Ends all other sessions of the user.',
      status: 200,
      addition: true,
      example: { current_password: 'a long enough passphrase', new_password: 'a longer and better passphrase' },
    }),
    post('verifyMfaChallenge', '/auth/mfa/verify', 'verifyMfaChallenge', {
      summary: 'Verify a second factor',
      errors: { INVALID_CREDENTIALS: 'the code is wrong', INVALID_STATE: 'the challenge has ended' },
      description:
        'A right code lifts the session for 15 minutes: repeat the request that was refused. A backup code is taken in place of any other. A code works once; five wrong ones end the challenge.',
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
      description: 'By SMS or e-mail. The code before works no more. At most six an hour.',
      status: 200,
      select: pendingChallenge,
      addition: true,
      example: { method: 'sms' },
    }),
    get('listMfaMethods', '/auth/mfa/methods', 'mfaMethods', { summary: 'List second factors', addition: true }),
    post('setupTotp', '/auth/mfa/totp/setup', 'setupTotp', {
      summary: 'Set up an authenticator',
      description:
        'It is asked for from now on. Secret and backup codes are shown here only. Until its first code was verified it can be set up anew; then that takes a second factor.',
    }),
    post('setupSms', '/auth/mfa/sms/setup', 'setupSms', {
      summary: 'Set up codes by SMS',
      description: 'Sends a code. It counts once the challenge was verified with that code.',
      select: enrolment,
      addition: true,
      example: { phone: '+1 212 555 0100' },
    }),
    post('setupEmail', '/auth/mfa/email/setup', 'setupEmail', {
      summary: 'Set up codes by e-mail',
      description: "Sends a code to the user's e-mail address. It counts once the challenge was verified with that code.",
      select: enrolment,
      addition: true,
    }),
    del('deleteMfaMethod', '/auth/mfa/methods/{method_id}', 'deleteMfaMethod', { summary: 'Delete a second factor', addition: true }),
    post('createBackupCodes', '/auth/mfa/backup-codes', 'createBackupCodes', { summary: 'Create backup codes', addition: true }),
    del('resetUserMfa', '/auth/mfa/users/{user_id}', 'resetUserMfa', {
      summary: 'Delete the second factors of a user',
      description: 'For a user who has lost them. The user is told by mail.',
      addition: true,
    }),
    get('listAuditRecords', '/auth/audit', 'auditRecords', {
      summary: 'List audit records',
      description: 'Every authentication, successful or not, and what was done about credentials (specification 5.9).',
      addition: true,
    }),
    get('getUserRestrictions', '/auth/restrictions', 'userRestrictions', {
      summary: 'Get the restrictions of users',
      description: 'From where, and when, users of the organization may log in and use their tokens. API keys have their own.',
      addition: true,
    }),
    put('updateUserRestrictions', '/auth/restrictions', 'updateUserRestrictions', {
      summary: 'Update the restrictions of users',
      description:
        'What is left out keeps its value; an empty list restricts nothing. A change that would refuse the user who makes it is refused.',
      addition: true,
      example: { ip_whitelist: ['0.0.0.0/0', '::/0'], time_windows: [] },
    }),
    get('listApiKeys', '/auth/api-keys', 'apiKeys', { summary: 'List API keys', description: 'Without the keys themselves.' }),
    post('createApiKey', '/auth/api-keys', 'createApiKey', {
      summary: 'Create an API key',
      description: 'The only answer that holds the key itself: only its hash is kept. Its permissions lie within those of the caller.',
      wrap: 'api_key',
      example: EXAMPLE,
    }),
    get('listOAuthClients', '/auth/oauth-clients', 'oauthClients', { summary: 'List OAuth clients', addition: true }),
    post('createOAuthClient', '/auth/oauth-clients', 'createOAuthClient', {
      summary: 'Register an OAuth client',
      description: 'The only answer that holds its secret, and of the rotation. Its scopes lie within the permissions of the caller.',
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
      description: 'Scopes that are taken away count at once. An inactive client loses all its tokens.',
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
      description: 'Ends all its tokens.',
      addition: true,
    }),
    get('getApiKey', '/auth/api-keys/{key_id}', 'apiKey', {
      summary: 'Get an API key',
      description: 'Without the key itself.',
      addition: true,
    }),
    put('updateApiKey', '/auth/api-keys/{key_id}', 'updateApiKey', {
      summary: 'Update an API key',
      description: 'What is left out keeps its value. Only who holds all that the key holds may change it.',
      example: { description: 'Reads the state of services', permissions: ['services:read'], require_signature: false },
    }),
    del('deleteApiKey', '/auth/api-keys/{key_id}', 'deleteApiKey', {
      summary: 'Delete an API key',
      errors: { INVALID_STATE: 'the key deletes itself' },
      description: 'Ends it within seconds everywhere. A key does not delete itself.',
    }),
    post('rotateApiKey', '/auth/api-keys/{key_id}/rotate', 'rotateApiKey', {
      summary: 'Rotate an API key',
      errors: { INVALID_STATE: 'the key has expired' },
      description:
        'Gives the key another text and signing secret, shown in this answer only. Its id, permissions and counters stay. The old ones work for `grace_period` seconds more (0 to 604800, default 0).',
      status: 200,
      example: { grace_period: 3600 },
    }),
    get('listTrustedIssuers', '/auth/trusted-issuers', 'trustedIssuers', { summary: 'List trusted issuers', addition: true }),
    post('createTrustedIssuer', '/auth/trusted-issuers', 'createTrustedIssuer', {
      summary: 'Create a trusted issuer',
      errors: { DUPLICATE_RESOURCE: 'the issuer is registered with this audience' },
      description:
        'Bearer tokens (JWT: RS256, PS256, ES256, EdDSA) of this issuer and audience then act for the organization, within `permissions`. Where anybody may have the issuer make tokens for any audience, as with those of build services, name the `subjects`.',
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
      description: 'What is left out keeps its value. Only who holds all that its tokens may do may change it.',
      addition: true,
      example: { permissions: ['services:read'], subjects: [] },
    }),
    del('deleteTrustedIssuer', '/auth/trusted-issuers/{issuer_id}', 'deleteTrustedIssuer', {
      summary: 'Delete a trusted issuer',
      description: 'Its tokens end within seconds everywhere.',
      addition: true,
    }),
    ...certificates,
    ...samlConnectionRoutes,
  ],
  'Access',
);
