import { type ChangeFeed, UNFOLLOWED_MS } from './change-feed.ts';

/** The data of credentials, and the ids of the records on which the data depends. */
export interface Found<V> {
  value: V;
  subjects: readonly string[];
}

interface Entry<V> extends Found<V> {
  storedAt: number;
}

const MAX_AGE_MS = 600_000;

/**
 * Caches the data of credentials, by the digest of the credentials. An entry is dropped when one of its records changes,
 * so a revocation takes effect immediately. Entries expire after ten minutes, or after a few seconds while this process
 * cannot receive changes.
 */
export class CredentialCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  /**
   * Unknown credentials are stored separately: a caller who tries many credentials must not evict known credentials.
   */
  readonly #unknown = new Map<string, number>();
  readonly #digests = new Map<string, Set<string>>();
  readonly #loading = new Map<string, Promise<V | undefined>>();
  /** For each load that is running, the ids of the records that have changed since its start. */
  readonly #changedDuring = new Set<Set<string>>();

  constructor(
    private readonly feed: ChangeFeed,
    private readonly max: number,
  ) {
    feed.onChange((subjectId) => this.#forget(subjectId));
  }

  /** Returns the cached value without a query. Returns undefined if no value is cached. */
  peek(digest: string): V | undefined {
    const entry = this.#entries.get(digest);
    if (!entry) return undefined;
    const age = performance.now() - entry.storedAt;
    if (age < (this.feed.isFollowing ? MAX_AGE_MS : UNFOLLOWED_MS)) return entry.value;
    this.#drop(digest, entry);
    return undefined;
  }

  /**
   * Returns the cached value, or loads it once for all concurrent callers. If `load` finds nothing, the cache stores
   * this result for a few seconds.
   */
  get(digest: string, load: () => Promise<Found<V> | undefined>): V | Promise<V | undefined> | undefined {
    const known = this.peek(digest);
    if (known !== undefined) return known;
    const refusedAt = this.#unknown.get(digest);
    if (refusedAt !== undefined && performance.now() - refusedAt < UNFOLLOWED_MS) return undefined;
    const running = this.#loading.get(digest);
    if (running !== undefined) return running;
    const started = this.#load(digest, load).finally(() => {
      if (this.#loading.get(digest) === started) this.#loading.delete(digest);
    });
    this.#loading.set(digest, started);
    return started;
  }

  async #load(digest: string, load: () => Promise<Found<V> | undefined>): Promise<V | undefined> {
    const changed = new Set<string>();
    this.#changedDuring.add(changed);
    try {
      const found = await load();
      // a value whose records changed during the load may already be stale, and unknown credentials may be known by now
      if (!found) {
        if (changed.size === 0) this.#refuse(digest);
      } else if (!changed.has('') && !found.subjects.some((subject) => changed.has(subject))) this.#store(digest, found);
      return found?.value;
    } finally {
      this.#changedDuring.delete(changed);
    }
  }

  #store(digest: string, { value, subjects }: Found<V>): void {
    if (this.#entries.size >= this.max) {
      const [oldest] = this.#entries;
      if (oldest) this.#drop(...oldest);
    }
    this.#entries.set(digest, { value, subjects, storedAt: performance.now() });
    for (const subject of subjects) {
      const digests = this.#digests.get(subject) ?? new Set();
      this.#digests.set(subject, digests.add(digest));
    }
  }

  #refuse(digest: string): void {
    this.#unknown.delete(digest);
    if (this.#unknown.size >= this.max) this.#unknown.delete(this.#unknown.keys().next().value ?? '');
    this.#unknown.set(digest, performance.now());
  }

  /**
   * Drops the entries that depend on the record with this id. Drops all entries if the id is empty, because then changes
   * may have been missed while the connection to the database was lost.
   */
  #forget(subjectId: string): void {
    for (const changed of this.#changedDuring) changed.add(subjectId);
    this.#loading.clear();
    // the change may make unknown credentials known, for example when a certificate is registered after its first
    // use
    this.#unknown.clear();
    const digests = subjectId === '' ? [...this.#entries.keys()] : [...(this.#digests.get(subjectId) ?? [])];
    for (const digest of digests) {
      const entry = this.#entries.get(digest);
      if (entry) this.#drop(digest, entry);
    }
  }

  #drop(digest: string, { subjects }: Entry<V>): void {
    this.#entries.delete(digest);
    for (const subject of subjects) {
      const digests = this.#digests.get(subject);
      digests?.delete(digest);
      if (digests?.size === 0) this.#digests.delete(subject);
    }
  }
}
