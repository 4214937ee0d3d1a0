import { randomUUID } from 'node:crypto';
import type { SealedColumn } from '../access/sealed-column.ts';
import type { SecretBox } from '../access/secret-box.ts';
import type { KeyedHash, Secrets } from '../access/secrets.ts';
import type { Rows } from '../database/database.ts';
import { type Retained, retainedRows } from '../work/retention.ts';
import type { ClaimOutcome, IdempotencyScope, IdempotencyStore, StoredResponse } from './idempotency.ts';
import { ABANDON, CLAIM, COMPLETE, EXPIRED, EXTEND, READ } from './sql.ts';

export type Row = Record<string, unknown>;

/** Runs statements on PostgreSQL or PGlite, each statement in its own transaction. */
export interface Sql {
  query(text: string, params: readonly unknown[]): Promise<Row[]>;
}

/** The encrypted column that contains the stored responses. */
export const sealedResponses: SealedColumn = {
  table: 'idempotency_key',
  column: 'body',
  purpose: 'idempotency',
  key: ['organization_id', 'caller_id', 'key'],
  separator: '/',
};

/** Interval of lease extensions: a third of the lease time, so that one extension may fail. */
const EXTEND_EVERY_MS = 20_000;

/**
 * Maximum number of attempts to claim a key. If the key is taken, its row is read; if the row has been deleted in the
 * meantime, there is another attempt.
 */
const ATTEMPTS = 3;

/**
 * Stores responses in the platform's database, so that any process can return them again. The responses are encrypted:
 * the response to a create request may contain a key or secret that is shown only once.
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

  async begin(scope: IdempotencyScope, key: string, request: string): Promise<ClaimOutcome> {
    const lease = randomUUID();
    // a body may contain a password, which an attacker could guess from a digest without a key
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

  async complete(scope: IdempotencyScope, key: string, lease: string, answer: StoredResponse): Promise<void> {
    await this.#complete(scope, key, lease, answer);
    const former = formerOf(scope);
    if (former) await this.#complete(former, key, SHARED + lease, answer);
  }

  async abandon(scope: IdempotencyScope, key: string, lease: string): Promise<void> {
    await this.#end(ABANDON, scope, key, lease);
    const former = formerOf(scope);
    if (former) await this.#end(ABANDON, former, key, SHARED + lease);
  }

  /** Rule that deletes the rows of keys older than 24 hours, to save space. */
  get retained(): Retained {
    return retainedRows(this.sql as Pick<Rows, 'query'>, EXPIRED.table, () => EXPIRED);
  }

  async #claim(scope: IdempotencyScope, key: string, fingerprint: string, lease: string): Promise<ClaimOutcome> {
    const { organizationId, callerId } = scope;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const claimed = await this.sql.query(CLAIM, [organizationId, callerId, key, fingerprint, lease]);
      if (claimed.length) return { state: 'new', lease };
      const [held] = await this.sql.query(READ, [organizationId, callerId, key]);
      // if both leases begin with SHARED, another OAuth client of the same user has claimed this row
      if (held && (held.fingerprint !== fingerprint || (lease.startsWith(SHARED) && String(held.lease).startsWith(SHARED))))
        return { state: 'conflict' };
      if (held) return this.#heldBySame(held, contextOf(scope, key));
    }
    return { state: 'running' };
  }

  async #complete(scope: IdempotencyScope, key: string, lease: string, { status, headers, body }: StoredResponse): Promise<void> {
    const sealed = this.#box.seal(body, contextOf(scope, key));
    await this.#end(COMPLETE, scope, key, lease, [status, JSON.stringify(headers), sealed]);
  }

  async #end(statement: string, { organizationId, callerId }: IdempotencyScope, key: string, lease: string, more: readonly unknown[] = []) {
    await this.sql.query(statement, [organizationId, callerId, key, lease, ...more]);
  }

  #heldBySame({ status, headers, body }: Row, context: string): ClaimOutcome {
    if (typeof status !== 'number') return { state: 'running' };
    return { state: 'replay', status, headers: headers as Record<string, string>, body: this.#box.open(body as string, context) };
  }
}

/**
 * Returns the context that binds an encrypted body to its row, so that the body cannot be decrypted as the body of
 * another row.
 */
const contextOf = ({ organizationId, callerId }: IdempotencyScope, key: string): string => `${organizationId}/${callerId}/${key}`;

/**
 * Prefix of the leases in rows that are written only for processes of the previous release. These processes identify a
 * user without the OAuth client that acts for the user. A request with a `formerCallerId` therefore claims two rows,
 * one for each caller id.
 * The rows are needed while both releases run, and for 24 hours after the last process of the previous release has
 * stopped. Delete this constant with `formerCallerId` in the next release.
 */
const SHARED = 'shared:';
const formerOf = ({ organizationId, formerCallerId }: IdempotencyScope): IdempotencyScope | undefined =>
  formerCallerId === undefined ? undefined : { organizationId, callerId: formerCallerId };
