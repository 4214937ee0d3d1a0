import { type CryptoKey, createLocalJWKSet, type JWSHeaderParameters } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import type { Clock } from '../../../kernel/clock.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import type { FetchedKeySet } from './key-set-fetcher.ts';

/**
 * Bounds for the lifetime that the issuer states: a removed key stops working within a day, and the issuer is asked once a minute at most.
 */
const MIN_AGE_MS = MINUTE_MS;
const MAX_AGE_MS = 24 * 60 * MINUTE_MS;
const DEFAULT_AGE_MS = 10 * MINUTE_MS;
/** How long an expired key set is still used while the issuer cannot be reached. */
const STALE_MS = 24 * 60 * MINUTE_MS;
/** Minimum time between two fetches, even if callers send tokens with made-up key ids. */
const ASK_AGAIN_MS = 30_000;
const MAX_SETS = 1000;

type FindKey = ReturnType<typeof createLocalJWKSet>;

interface KeySet {
  find: FindKey;
  freshUntil: number;
}

interface Known {
  set?: KeySet;
  askedAt: number;
  asking?: Promise<void> | undefined;
}

/** The keys of the issuer cannot be fetched, or could not be until a moment ago. */
export class KeysUnavailable extends Error {
  readonly code = 'KEYS_UNAVAILABLE';
}

/** Caches public keys of other issuers for as long as the issuers say, within bounds (specification 5.4). */
export class KeySets {
  readonly #known = new Map<string, Known>();

  constructor(
    private readonly fetch: (uri: string) => Promise<FetchedKeySet>,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the key that a token's header names, of the type that its algorithm needs. An unknown key may be new: then the set is fetched
   * again, at most twice a minute.
   * @throws KeysUnavailable, JOSEError
   */
  async find(uri: string, header: JWSHeaderParameters): Promise<CryptoKey> {
    const known = this.#knownOf(uri);
    if (!known.set || known.set.freshUntil <= this.#now()) await this.#refresh(uri, known);
    try {
      return await this.#setOf(known).find(header);
    } catch (error) {
      if (!(error instanceof JWKSNoMatchingKey) || !(await this.#refresh(uri, known))) throw error;
      return this.#setOf(known).find(header);
    }
  }

  #setOf({ set }: Known): KeySet {
    if (!set || set.freshUntil + STALE_MS <= this.#now()) throw new KeysUnavailable('The keys of the issuer cannot be fetched.');
    return set;
  }

  /** Fetches the set, once for all concurrent callers. Returns whether it was fetched. */
  async #refresh(uri: string, known: Known): Promise<boolean> {
    if (!known.asking) {
      if (this.#now() - known.askedAt < ASK_AGAIN_MS) return false;
      known.askedAt = this.#now();
      known.asking = this.#ask(uri, known).finally(() => {
        known.asking = undefined;
      });
    }
    await known.asking;
    return true;
  }

  async #ask(uri: string, known: Known): Promise<void> {
    try {
      const { keySet, maxAgeMs = DEFAULT_AGE_MS } = await this.fetch(uri);
      const now = this.#now();
      const ageMs = Math.min(MAX_AGE_MS, Math.max(MIN_AGE_MS, maxAgeMs));
      known.set = { find: createLocalJWKSet(keySet), freshUntil: now + ageMs };
    } catch {
      // the known set is used for a while; without one, `find` throws KeysUnavailable
    }
  }

  #knownOf(uri: string): Known {
    const known = this.#known.get(uri);
    if (known) return known;
    if (this.#known.size >= MAX_SETS) this.#known.delete(this.#known.keys().next().value ?? '');
    const fresh: Known = { askedAt: Number.NEGATIVE_INFINITY };
    this.#known.set(uri, fresh);
    return fresh;
  }

  #now(): number {
    return this.clock.now().getTime();
  }
}
