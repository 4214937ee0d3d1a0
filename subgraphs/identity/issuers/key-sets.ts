import { type CryptoKey, createLocalJWKSet, type JWSHeaderParameters } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import type { Clock } from '../../../kernel/clock.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import type { FetchedKeySet } from './key-set-fetcher.ts';

/**
 * Limits of the time for which the keys of an issuer are cached. Within these limits, the issuer states the time. So a key that the issuer
 * removes stops working within a day, unless the issuer cannot be reached.
 */
const MIN_AGE_MS = MINUTE_MS;
const MAX_AGE_MS = 24 * 60 * MINUTE_MS;
const DEFAULT_AGE_MS = 10 * MINUTE_MS;
/** Time for which an expired key set is still used while the issuer cannot be reached. */
const STALE_MS = 24 * 60 * MINUTE_MS;
/** Minimum time between two fetches of a key set, even if callers send tokens with made-up key ids. */
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

/** Thrown if the keys of the issuer cannot be fetched now and no usable keys are cached. */
export class KeysUnavailable extends Error {
  readonly code = 'KEYS_UNAVAILABLE';
}

/** Caches public keys of other issuers for the time that each issuer states, within limits (specification 5.4). */
export class KeySets {
  readonly #known = new Map<string, Known>();

  constructor(
    private readonly fetch: (uri: string) => Promise<FetchedKeySet>,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the key whose id is in the header of a token. The type of the key must fit the algorithm of the token. If the
   * key id is unknown, the key set is fetched again, at most twice a minute.
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

  /**
   * Fetches the key set, once for all concurrent callers. Returns false without a fetch if the last fetch was less than
   * ASK_AGAIN_MS ago.
   */
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
      // an expired key set is used until STALE_MS is over; if there is no key set, `find` throws KeysUnavailable
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
