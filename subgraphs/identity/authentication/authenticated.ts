import type { Principal } from '../../../kernel/access/principal.ts';

export type Method = 'api_key' | 'jwt' | 'certificate';

/**
 * The principal of verified credentials, with the key's own rate limit if it has one. The cache returns the same object
 * for each request.
 */
export interface Authenticated {
  principal: Principal;
  rateLimit: { requestsPerMinute?: number | null; burstLimit?: number | null } | null;
  method: Method;
}
