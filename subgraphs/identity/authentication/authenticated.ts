import type { Principal } from '../../../kernel/access/principal.ts';

export type Method = 'api_key' | 'jwt' | 'certificate';

/** The principal that credentials belong to, with the key's own rate limit if it has one. While cached, always the same object. */
export interface Authenticated {
  principal: Principal;
  rateLimit: { requestsPerMinute?: number | null; burstLimit?: number | null } | null;
  method: Method;
}
