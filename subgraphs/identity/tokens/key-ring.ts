import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { notify } from '../../../kernel/database/notifier.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { SigningKey } from './signing-key.entity.ts';

export const ALGORITHM = 'RS256';
/** Purpose of the encryption key for private keys at rest. */
export const SIGNING_KEYS = 'signing-keys';
const MODULUS_BITS = 2048;
/** Time for which a key is used to sign tokens. */
const ROTATION_MS = 90 * 86_400_000;
/** Time for which a key is published before it signs tokens. It is longer than the time for which clients cache a key set. */
const ANNOUNCED_MS = 86_400_000;
/** Time for which a key is published after it stops signing tokens. It is longer than the lifetime of any token. */
const KEPT_MS = 2 * 3_600_000;
const RELOAD_MS = 60_000;
/** Minimum time between reloads caused by tokens with unknown key ids. */
const UNKNOWN_RELOAD_MS = 5_000;

export interface RingKey {
  kid: string;
  publicJwk: JWK;
  privateJwk: JWK;
  publicKey: CryptoKey;
  privateKey: CryptoKey;
  signsFrom: Date;
}

export interface KeyRingParts {
  orm: Orm;
  clock: Clock;
  box: SecretBox;
}

/**
 * Manages the RS256 keys that sign access tokens (specification 5.4). The newest key whose `signsFrom` has passed signs
 * tokens. A key stays published until all tokens that it signed have expired. Every 90 days a new key is created and
 * published; it starts to sign tokens one day later. Any process can create the new key, but only one process does.
 */
export class KeyRing {
  #keys: readonly RingKey[] = [];
  #loadedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  constructor(private readonly parts: KeyRingParts) {}

  /** Returns the key that signs tokens now. */
  async current(): Promise<RingKey> {
    await this.#refresh();
    const now = this.parts.clock.now();
    const key = this.#keys.findLast(({ signsFrom }) => signsFrom <= now) ?? this.#keys[0];
    if (!key) throw new Error('There is no signing key.');
    return key;
  }

  /** Returns all keys of the published key set, beginning with the current signing key. */
  async published(): Promise<readonly RingKey[]> {
    const current = await this.current();
    return [current, ...this.#keys.filter((key) => key !== current)];
  }

  /** Returns the key with the id `kid`. Returns undefined if there is none. */
  async find(kid: string): Promise<RingKey | undefined> {
    await this.#refresh();
    const known = this.#keys.find((key) => key.kid === kid);
    if (known || performance.now() - this.#loadedAt < UNKNOWN_RELOAD_MS) return known;
    await this.#load();
    return this.#keys.find((key) => key.kid === kid);
  }

  /**
   * Creates a new signing key. It starts to sign after a day. If the current key is compromised, pass `atOnce`: the new key signs
   * immediately, and all other keys are deleted.
   */
  async rotate({ atOnce = false }: { atOnce?: boolean } = {}): Promise<void> {
    const now = this.parts.clock.now();
    const signsFrom = atOnce ? now : new Date(now.getTime() + ANNOUNCED_MS);
    const key = await this.#generate(signsFrom);
    await this.parts.orm.em.fork().transactional(async (tx) => {
      if (atOnce) await this.#distrustAll(tx);
      tx.persist(key);
    });
    await this.#load();
  }

  /** Deletes all keys. Announces a change with an empty id, so that all processes empty their credential caches. */
  async #distrustAll(tx: EntityManager): Promise<void> {
    await tx.nativeDelete(SigningKey, {});
    await tx.execute(`insert into "identity"."change" ("subject_id") values ('')`);
    await notify(tx, { channel: 'identity_change', payload: '' });
  }

  /** Makes the next use reload the keys, because another process may have changed them. */
  forget(): void {
    this.#loadedAt = Number.NEGATIVE_INFINITY;
  }

  async #refresh(): Promise<void> {
    if (performance.now() - this.#loadedAt < RELOAD_MS && this.#keys.length > 0) return;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  async #load(): Promise<void> {
    const stored = await this.#maintained();
    this.#keys = await Promise.all(stored.map((key) => this.#open(key)));
    this.#loadedAt = performance.now();
  }

  /** Loads the published keys. If the next key is due, creates it and deletes keys whose tokens have all expired. */
  async #maintained(): Promise<SigningKey[]> {
    const em = this.parts.orm.em.fork();
    const read = (from: EntityManager) => from.find(SigningKey, {}, { orderBy: { signsFrom: 'asc', id: 'asc' } });
    const stored = await read(em);
    const now = this.parts.clock.now();
    const newest = stored.at(-1);
    if (newest && now.getTime() - newest.signsFrom.getTime() < ROTATION_MS - ANNOUNCED_MS) return stored.filter(isKept(stored, now));

    const next = await this.#generate(newest ? new Date(now.getTime() + ANNOUNCED_MS) : now);
    return em.transactional(async (tx) => {
      // only one process creates the key: other processes wait for this lock and then find the key
      await tx.execute('select pg_advisory_xact_lock(?)', [RING_LOCK]);
      const present = await read(tx.fork({ keepTransactionContext: true }));
      if (present.at(-1)?.id !== newest?.id) return present;
      const kept = present.filter(isKept(present, now));
      await tx.nativeDelete(SigningKey, { id: { $nin: kept.map(({ id }) => id) } });
      tx.persist(next);
      return [...kept, next];
    });
  }

  async #generate(signsFrom: Date): Promise<SigningKey> {
    const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { modulusLength: MODULUS_BITS, extractable: true });
    const id = newId('signingKey');
    const describe = (jwk: JWK): JWK => ({ ...jwk, kid: id, alg: ALGORITHM, use: 'sig' });
    return Object.assign(new SigningKey(), {
      id,
      publicJwk: describe(await exportJWK(publicKey)),
      privateJwk: this.parts.box.seal(JSON.stringify(describe(await exportJWK(privateKey))), id),
      createdAt: this.parts.clock.now(),
      signsFrom,
    });
  }

  async #open({ id: kid, publicJwk, privateJwk: sealed, signsFrom }: SigningKey): Promise<RingKey> {
    const known = this.#keys.find((key) => key.kid === kid);
    if (known) return known;
    const privateJwk = JSON.parse(this.parts.box.open(sealed, kid)) as JWK;
    const publicKey = (await importJWK(publicJwk, ALGORITHM)) as CryptoKey;
    const privateKey = (await importJWK(privateJwk, ALGORITHM)) as CryptoKey;
    return { kid, publicJwk, privateJwk, publicKey, privateKey, signsFrom };
  }
}

/** Id of the advisory lock: an arbitrary number, the same in every process. */
const RING_LOCK = 4_201_002;

/** Returns a filter that drops a key once the next key has signed tokens for KEPT_MS. All tokens of the key have then expired. */
const isKept =
  (keys: readonly SigningKey[], now: Date) =>
  (_: SigningKey, index: number): boolean => {
    const successor = keys[index + 1];
    return !successor || now.getTime() - successor.signsFrom.getTime() < KEPT_MS;
  };
