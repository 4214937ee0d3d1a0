import type { Principal } from '../../../kernel/access/principal.ts';

export type Method = 'api_key' | 'jwt' | 'certificate';

/** Whom credentials belong to, and the rate limit of the key itself where it has one. The same object while it is cached. */
export interface Authenticated {
  principal: Principal;
  rateLimit: { requestsPerMinute?: number | null; burstLimit?: number | null } | null;
  method: Method;
}
