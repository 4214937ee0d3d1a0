import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { DAY_MS, HOUR_MS } from '../../../kernel/values/days.ts';
import { type Retained, retainedRows } from '../../../kernel/work/retention.ts';
import { ATTEMPTS_KEPT_MS } from '../sessions/login-attempts.ts';
import { EXPIRED_CHANGES } from './change-feed.ts';

/** Time for which an ended session is kept. It is longer than the lifetime of any token that was issued in the session. */
const SESSIONS_KEPT_MS = DAY_MS;
/**
 * Time for which counters of second-factor attempts are kept. It equals the time window of the limits in
 * mfa-challenges/challenge-limits.ts.
 */
const COUNTERS_KEPT_MS = HOUR_MS;

export interface AccessRetentionParts {
  rows: Rows;
  clock: Clock;
  /** Number of days for which audit records are kept. */
  auditRetentionDays: number;
}

/**
 * Returns the rules for the deletion of old rows: ended sessions, expired rows of logins, authorizations and signed
 * requests, and old audit records. Without these rules, anyone who tries to log in could fill the database. A used
 * refresh token is kept as long as its session, because a second use of the token must revoke the session.
 */
export function accessRetention({ rows, clock, auditRetentionDays }: AccessRetentionParts): Retained[] {
  const tables: [table: string, where: string, keptMs?: number][] = [
    ['session', '"expires_at" < $1 or "ended_at" < $1', SESSIONS_KEPT_MS],
    ['one_time_token', '"expires_at" < $1'],
    ['elevation', '"until" < $1'],
    ['known_place', '"expires_at" < $1'],
    ['mfa_counter', '"first_at" < $1', COUNTERS_KEPT_MS],
    ['mfa_challenge', '"expires_at" < $1', DAY_MS],
    ['login_attempt', '"first_at" < $1', ATTEMPTS_KEPT_MS],
    ['request_signature', '"expires_at" < $1'],
    ['oauth_record', '"expires_at" < $1'],
    ['revoked_token', '"expires_at" < $1'],
    ['saml_request', '"expires_at" < $1'],
    ['saml_assertion', '"expires_at" < $1'],
    ['saml_code', '"expires_at" < $1'],
    // `least` applies the rule of a database trigger: records younger than 30 days by the clock of the database cannot
    // be deleted
    ['audit_record', `"timestamp" < least($1, now() - interval '30 days')`, auditRetentionDays * DAY_MS],
  ];
  return [
    ...tables.map(([table, where, keptMs = 0]) =>
      retainedRows(rows, `identity.${table}`, () => ({ where, values: [new Date(clock.now().getTime() - keptMs)] })),
    ),
    retainedRows(rows, EXPIRED_CHANGES.table, () => EXPIRED_CHANGES),
  ];
}
