import { type ChangeFeed, UNFOLLOWED_MS } from './change-feed.ts';

/** What was found for some credentials, and the ids of the records that it was made of. */
export interface Found<V> {
  value: V;
  subjects: readonly string[];
}

interface Entry<V> extends Found<V> {
  storedAt: number;
}

const MAX_AGE_MS = 600_000;

/**
 * What is known of credentials that were looked up, by their digest: until a record that it was made of changes. So a request
 * costs no query while nothing changes, and a revocation counts at once. Where changes cannot be followed, for seconds only.
 */
export class CredentialCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  /** Apart from the known ones: whoever tries many credentials must not push those out. */
  readonly #unknown = new Map<string, number>();
  readonly #digests = new Map<string, Set<string>>();
  readonly #loading = new Map<string, Promise<V | undefined>>();
  #generation = 0;

  constructor(
    private readonly feed: ChangeFeed,
    private readonly max: number,
  ) {
    feed.onChange((subjectId) => this.#forget(subjectId));
  }

  /** What is known, without looking anything up. */
  peek(digest: string): V | undefined {
    const entry = this.#entries.get(digest);
    if (!entry) return undefined;
    const age = performance.now() - entry.storedAt;
    if (age < (this.feed.isFollowing ? MAX_AGE_MS : UNFOLLOWED_MS)) return entry.value;
    this.#drop(digest, entry);
    return undefined;
  }

  /** Looked up once for all who ask at the same time. Undefined where there is none such, which is kept for seconds. */
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
    const generation = this.#generation;
    const found = await load();
    // what was changed meanwhile may be what was read before
    if (generation !== this.#generation) return found?.value;
    if (found) this.#store(digest, found);
    else this.#refuse(digest);
    return found?.value;
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

  /** An empty id stands for all: the connection that tells of changes was gone for a while. */
  #forget(subjectId: string): void {
    this.#generation += 1;
    this.#loading.clear();
    // what was changed may be what somebody was unknown without: a certificate is shown before it is registered
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
