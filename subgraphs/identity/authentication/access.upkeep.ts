import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database.ts';
import type { Logger } from '../../../kernel/log.ts';
import { Upkeep } from '../../../kernel/upkeep.ts';
import type { OAuthStore } from '../oauth/oauth.store.ts';
import type { LoginAttempts } from '../sessions/login.attempts.ts';
import type { SignatureVerifier } from '../signing/signature.verifier.ts';
import type { ChangeFeed } from './change.feed.ts';

const EVERY_MS = 600_000;
const HOUR_MS = 3_600_000;
/** Longer than any token lives that was issued in a session. */
const SESSIONS_KEPT_MS = 24 * HOUR_MS;
/** The window in which second factors are counted (mfa-challenges/challenge.limits.ts). */
const COUNTERS_KEPT_MS = HOUR_MS;

export interface AccessUpkeepParts {
  rows: Rows;
  clock: Clock;
  log: Logger;
  feed: ChangeFeed;
  attempts: LoginAttempts;
  signatures: SignatureVerifier;
  oauth: OAuthStore;
}

/**
 * Deletes what logins, authorizations and signed requests leave behind and nobody asks about any more: anyone who may try to log
 * in could fill the database else.
 */
export class AccessUpkeep {
  readonly #upkeep: Upkeep;

  constructor(private readonly parts: AccessUpkeepParts) {
    this.#upkeep = new Upkeep({ name: 'identity.access', everyMs: EVERY_MS, log: parts.log }, () => this.purge());
  }

  start(): void {
    this.#upkeep.start();
  }

  stop(): Promise<void> {
    return this.#upkeep.stop();
  }

  /** Used refresh tokens go with their session and not before: until then a replay ends it. */
  async purge(): Promise<void> {
    const { attempts, signatures, oauth, feed } = this.parts;
    await this.#delete('session', '"expires_at" < $1 or "ended_at" < $1', SESSIONS_KEPT_MS);
    await this.#delete('one_time_token', '"expires_at" < $1');
    await this.#delete('elevation', '"until" < $1');
    await this.#delete('mfa_counter', '"first_at" < $1', COUNTERS_KEPT_MS);
    await attempts.purge();
    await signatures.purge();
    await oauth.purge();
    await feed.purge();
  }

  async #delete(table: string, condition: string, keptMs = 0): Promise<void> {
    const { rows, clock } = this.parts;
    await rows.query(`delete from "identity"."${table}" where ${condition}`, [new Date(clock.now().getTime() - keptMs)]);
  }
}
