import { randomUUID } from 'node:crypto';
import type { SealedColumn } from '../access/sealed-column.ts';
import type { SecretBox } from '../access/secret-box.ts';
import type { KeyedHash, Secrets } from '../access/secrets.ts';
import type { Rows } from '../database/database.ts';
import { type Retained, retainedRows } from '../work/retention.ts';
import type { Answer, Begun, IdempotencyScope, IdempotencyStore } from './idempotency.ts';
import { ABANDON, CLAIM, COMPLETE, EXPIRED, EXTEND, READ } from './sql.ts';

export type Row = Record<string, unknown>;

/** A connection to PostgreSQL or PGlite; each statement is a transaction of its own. */
export interface Sql {
  query(text: string, params: readonly unknown[]): Promise<Row[]>;
}

/** Kept responses. */
export const sealedResponses: SealedColumn = {
  table: 'idempotency_key',
  column: 'body',
  purpose: 'idempotency',
  key: ['organization_id', 'caller_id', 'key'],
  separator: '/',
};

/** A third of the lease: one extension may fail. */
const EXTEND_EVERY_MS = 20_000;

/** A key that is freed between the claim and the look at who holds it is claimed again. */
const ATTEMPTS = 3;

/**
 * Keeps the answers in the platform's database, so that any process may replay them. Encrypted: the answer to a creation may
 * hold a key or secret that is shown once.
 */
export class SqlIdempotencyStore implements IdempotencyStore {
  readonly extendEveryMs = EXTEND_EVERY_MS;

  readonly #box: SecretBox;
  readonly #hashOf: KeyedHash;

  constructor(
    private readonly sql: Sql,
    secrets: Secrets,
  ) {
    this.#box = secrets.box(sealedResponses.purpose);
    this.#hashOf = secrets.hash('idempotency');
  }

  async begin(scope: IdempotencyScope, key: string, request: string): Promise<Begun> {
    const lease = randomUUID();
    // a body may hold a password, which a plain digest would let be guessed
    const fingerprint = this.#hashOf(request).toString('base64url');
    const begun = await this.#claim(scope, key, fingerprint, lease);
    const former = formerOf(scope);
    if (begun.state !== 'new' || !former) return begun;
    const held = await this.#claim(former, key, fingerprint, SHARED + lease);
    if (held.state === 'new' || held.state === 'conflict') return begun;
    await this.#end(ABANDON, scope, key, lease);
    return held;
  }

  async extend(scope: IdempotencyScope, key: string, lease: string): Promise<void> {
    await this.#end(EXTEND, scope, key, lease);
    const former = formerOf(scope);
    if (former) await this.#end(EXTEND, former, key, SHARED + lease);
  }

  async complete(scope: IdempotencyScope, key: string, lease: string, answer: Answer): Promise<void> {
    await this.#complete(scope, key, lease, answer);
    const former = formerOf(scope);
    if (former) await this.#complete(former, key, SHARED + lease, answer);
  }

  async abandon(scope: IdempotencyScope, key: string, lease: string): Promise<void> {
    await this.#end(ABANDON, scope, key, lease);
    const former = formerOf(scope);
    if (former) await this.#end(ABANDON, former, key, SHARED + lease);
  }

  /** Keys of more than 24 hours ago: an old one is harmless, it only takes space. */
  get retained(): Retained {
    return retainedRows(this.sql as Pick<Rows, 'query'>, EXPIRED.table, () => EXPIRED);
  }

  async #claim(scope: IdempotencyScope, key: string, fingerprint: string, lease: string): Promise<Begun> {
    const { organizationId, callerId } = scope;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const claimed = await this.sql.query(CLAIM, [organizationId, callerId, key, fingerprint, lease]);
      if (claimed.length) return { state: 'new', lease };
      const [held] = await this.sql.query(READ, [organizationId, callerId, key]);
      // a row that this release shares with the previous one is another client's, or the caller's own row would have been there
      if (held && (held.fingerprint !== fingerprint || (lease.startsWith(SHARED) && String(held.lease).startsWith(SHARED))))
        return { state: 'conflict' };
      if (held) return this.#heldBySame(held, contextOf(scope, key));
    }
    return { state: 'running' };
  }

  async #complete(scope: IdempotencyScope, key: string, lease: string, { status, headers, body }: Answer): Promise<void> {
    const sealed = this.#box.seal(body, contextOf(scope, key));
    await this.#end(COMPLETE, scope, key, lease, [status, JSON.stringify(headers), sealed]);
  }

  async #end(statement: string, { organizationId, callerId }: IdempotencyScope, key: string, lease: string, more: readonly unknown[] = []) {
    await this.sql.query(statement, [organizationId, callerId, key, lease, ...more]);
  }

  #heldBySame({ status, headers, body }: Row, context: string): Begun {
    if (typeof status !== 'number') return { state: 'running' };
    return { state: 'replay', status, headers: headers as Record<string, string>, body: this.#box.open(body as string, context) };
  }
}

/** A row cannot be read as another's. */
const contextOf = ({ organizationId, callerId }: IdempotencyScope, key: string): string => `${organizationId}/${callerId}/${key}`;

/**
 * Processes of the previous release know a user without the OAuth client that acts for them. While both run, and for the 24
 * hours in which their rows count, a request is claimed under both names; the lease marks the rows that are for them only.
 * To be deleted with `formerCallerId` in the release after this one.
 */
const SHARED = 'shared:';
const formerOf = ({ organizationId, formerCallerId }: IdempotencyScope): IdempotencyScope | undefined =>
  formerCallerId === undefined ? undefined : { organizationId, callerId: formerCallerId };
