import type { X509Certificate } from 'node:crypto';
import type { Principal } from '../../../kernel/principal.ts';
import type { ClientInfo } from '../../../kernel/request.ts';
import type { RequestSigning } from '../signing/request-signature.ts';

/** What a caller shows, as the edge read it (specification 5.2, 5.4, 5.5). */
export type Credentials = (ShownToken | ShownCertificate) &
  ClientInfo & {
    /** What a signature is over. A socket is signed for when it opens, and not when it is looked at again. */
    signing?: RequestSigning | 'checked at opening' | undefined;
  };

export interface ShownToken {
  /** Where it stood: `Authorization: Bearer`, which holds an API key or an access token, or `X-API-Key`. */
  kind: 'bearer' | 'api_key';
  token: string;
}

export interface ShownCertificate {
  kind: 'certificate';
  /** Its holder has shown to have the key; nothing else of it was checked. */
  certificate: X509Certificate;
}

export type Method = 'api_key' | 'jwt' | 'certificate';
/** Whom credentials belong to, and the rate limit of the key itself where it has one. The same object while it is cached. */
export interface Authenticated {
  principal: Principal;
  rateLimit: { requestsPerMinute: number; burstLimit?: number | null } | null;
  method: Method;
}
