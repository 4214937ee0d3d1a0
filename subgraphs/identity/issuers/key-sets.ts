import { type CryptoKey, createLocalJWKSet, type JWSHeaderParameters } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import type { Clock } from '../../../kernel/clock.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import type { FetchedKeySet } from './key-set-fetcher.ts';

/** However long the issuer says, a key that it takes back is unknown here within a day, and it is not asked more than once a minute. */
const MIN_AGE_MS = MINUTE_MS;
const MAX_AGE_MS = 24 * 60 * MINUTE_MS;
const DEFAULT_AGE_MS = 10 * MINUTE_MS;
/** While the issuer cannot be reached, what it said last holds for so much longer. */
const STALE_MS = 24 * 60 * MINUTE_MS;
/** Whoever shows tokens of made-up keys makes us ask no more often than this. */
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

/** The issuer's keys could not be had, now or lately. */
export class KeysUnavailable extends Error {
  readonly code = 'KEYS_UNAVAILABLE';
}

/** Public keys of other issuers, kept as long as they say, within bounds (specification 5.4). */
export class KeySets {
  readonly #known = new Map<string, Known>();

  constructor(
    private readonly fetch: (uri: string) => Promise<FetchedKeySet>,
    private readonly clock: Clock,
  ) {}

  /**
   * The key that a token's header names, of the kind that its algorithm needs. A key that is not known may be new: then the set
   * is fetched again, at most twice a minute.
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
    if (!set || set.freshUntil + STALE_MS <= this.#now()) throw new KeysUnavailable('The keys of the issuer cannot be had.');
    return set;
  }

  /** Answers whether it asked. Many who wait for the same set ask once. */
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
      // what is known goes on for a while; where nothing is, whoever asked is told
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
