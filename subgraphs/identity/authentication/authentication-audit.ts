import { hash } from 'node:crypto';
import type { Credentials } from '../../../kernel/access/credentials.ts';
import { scopeOf } from '../../../kernel/access/principal.ts';
import type { PlatformError } from '../../../kernel/errors/errors.ts';
import { networkOf } from '../../../kernel/outbound/network.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Authenticated, Method } from './authenticated.ts';

/** Name of each kind of credentials, as stored in audit records. */
const TOKEN_TYPES: Readonly<Record<Method, string>> = { api_key: 'api_key', jwt: 'access_token', certificate: 'certificate' };

const REMEMBERED_MAX = 20_000;
/** Maximum number of audit records per hour about one principal, and about the refused requests of one network. */
const RECORDS_PER_HOUR = 50;

/**
 * Records authentications in the audit trail: at most once an hour for the same caller, address and outcome. Repeated
 * requests, successful or refused, cause no more records and use no more memory.
 */
export class AuthenticationAudit {
  readonly #recorded = new HourlyOnce();

  constructor(private readonly trail: AuditTrail) {}

  succeeded({ ip, userAgent }: Credentials, { principal, method }: Authenticated): void {
    const { id, sessionId } = principal;
    if (!this.#recorded.isFirst(id, `${sessionId}|${ip}|${userAgent}`)) return;
    this.trail.note({
      eventType: 'authentication_success',
      organizationId: principal.organizationId,
      userId: principal.kind === 'user' ? id : null,
      clientId: principal.kind === 'user' ? principal.clientId : id,
      client: { ip, userAgent },
      authenticationMethod: method,
      tokenType: TOKEN_TYPES[method],
      scopes: principal.grants.map(scopeOf),
      sessionId,
    });
  }

  /**
   * Records a refusal. Refusals that differ only in the user agent are recorded once, because a refused caller can send
   * any user agent.
   */
  failed({ ip, userAgent }: Credentials, method: Method, error: PlatformError): void {
    const reason = 'reason' in error ? String(error.reason) : error.code.toLowerCase();
    if (!this.#recorded.isFirst(networkOf(ip), `${method}|${reason}`)) return;
    this.trail.note({
      eventType: 'authentication_failure',
      client: { ip, userAgent },
      authenticationMethod: method,
      tokenType: TOKEN_TYPES[method],
      reason,
    });
  }
}

/** Decides which events to record: each event at most once an hour. Stores only digests of events. */
class HourlyOnce {
  /** Time of the last record of each event. The key is a digest of caller and event. */
  readonly #recorded = new Map<string, number>();
  /** Number of records of each caller in the current hour. The key is a digest of the caller. */
  readonly #counts = new Map<string, { count: number; since: number }>();

  isFirst(who: string, where: string): boolean {
    const now = performance.now();
    const [whoDigest, digest] = [digestOf(who), digestOf(`${who}|${where}`)];
    const recordedAt = this.#recorded.get(digest);
    if (recordedAt !== undefined && now - recordedAt < HOUR_MS) return false;
    const known = this.#counts.get(whoDigest);
    const counted = known && now - known.since < HOUR_MS ? known : { count: 0, since: now };
    if (counted.count >= RECORDS_PER_HOUR) return false;
    counted.count += 1;
    put(this.#counts, whoDigest, counted);
    put(this.#recorded, digest, now);
    return true;
  }
}

/** Adds an entry to a map as its newest entry. Evicts the oldest entry if the map is full. */
function put<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  if (map.size >= REMEMBERED_MAX) map.delete(map.keys().next().value ?? '');
  map.set(key, value);
}

const digestOf = (text: string): string => hash('sha256', text, 'base64url');
