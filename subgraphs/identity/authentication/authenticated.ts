import type { Principal } from '../../../kernel/access/principal.ts';

export type Method = 'api_key' | 'jwt' | 'certificate';

/**
 * The principal of verified credentials, with the key's own rate limit if it has one. While the credentials are cached,
 * each request with them gets the same object.
 */
export interface Authenticated {
  principal: Principal;
  rateLimit: { requestsPerMinute?: number | null; burstLimit?: number | null } | null;
  method: Method;
}
