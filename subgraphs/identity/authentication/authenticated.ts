import type { Principal } from '../../../kernel/access/principal.ts';

export type Method = 'api_key' | 'jwt' | 'certificate';

/**
 * The principal of verified credentials, with the key's own rate limit if it has one. While credentials are cached,
 * every request with these credentials gets the same object.
 */
export interface Authenticated {
  principal: Principal;
  rateLimit: { requestsPerMinute?: number | null; burstLimit?: number | null } | null;
  method: Method;
}
