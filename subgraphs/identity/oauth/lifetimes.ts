import type { Configuration } from 'oidc-provider';
import { ACCESS_TOKEN_SECONDS } from '../tokens/access-token.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Lifetime of a grant. Using the grant does not extend it. */
const GRANT_SECONDS = 30 * DAY;
/**
 * Maximum lifetime of a refresh token of a public client. The grant ends if the client does not refresh in this time.
 */
const IDLE_SECONDS = 14 * DAY;

export const CODE_SECONDS = MINUTE;
export const DEVICE_CODE_SECONDS = 10 * MINUTE;

/** Lifetimes of tokens, codes, grants and sessions, in seconds. */
export const lifetimes: NonNullable<Configuration['ttl']> = {
  AccessToken: ACCESS_TOKEN_SECONDS,
  ClientCredentials: ACCESS_TOKEN_SECONDS,
  AuthorizationCode: CODE_SECONDS,
  DeviceCode: DEVICE_CODE_SECONDS,
  Grant: GRANT_SECONDS,
  Interaction: HOUR,
  Session: 8 * HOUR,
  RefreshToken(_, token, client) {
    const left = Math.max(1, (token.iiat ?? token.iat ?? 0) + GRANT_SECONDS - Math.floor(Date.now() / 1000));
    return client.tokenEndpointAuthMethod === 'none' ? Math.min(left, IDLE_SECONDS) : left;
  },
};
