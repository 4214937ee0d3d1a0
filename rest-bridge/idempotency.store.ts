import { randomUUID } from 'node:crypto';
import type { SecretBox } from '../kernel/secret-box.ts';
import { ABANDON, CLAIM, COMPLETE, idempotencyTables, PURGE, READ } from './idempotency.sql.ts';
import type { Answer, Begun, IdempotencyScope, IdempotencyStore } from './idempotency.ts';

export type Row = Record<string, unknown>;

/** A connection to PostgreSQL or PGlite; each statement is a transaction of its own. */
export interface Sql {
  query(text: string, params: readonly unknown[]): Promise<Row[]>;
}

/** A key that is freed between the claim and the look at who holds it is claimed again. */
const ATTEMPTS = 3;

/**
 * Keeps the answers in the platform's database, so that any process may replay them. Encrypted: the answer to a creation may
 * hold a key or secret that is shown once.
 */
export class SqlIdempotencyStore implements IdempotencyStore {
  constructor(
    private readonly sql: Sql,
    private readonly box: SecretBox,
  ) {}

  /** Makes the table where it is missing. */
  async migrate(): Promise<void> {
    for (const statement of idempotencyTables) await this.sql.query(statement, []);
  }

  async begin({ organizationId, callerId }: IdempotencyScope, key: string, request: string): Promise<Begun> {
    const lease = randomUUID();
    // a body may hold a password, which a plain digest would let be guessed
    const fingerprint = this.box.digest(request);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const claimed = await this.sql.query(CLAIM, [organizationId, callerId, key, fingerprint, lease]);
      if (claimed.length) return { state: 'new', lease };
      const [held] = await this.sql.query(READ, [organizationId, callerId, key]);
      if (held)
        return held.fingerprint === fingerprint ? this.#heldBySame(held, `${organizationId}/${callerId}/${key}`) : { state: 'conflict' };
    }
    return { state: 'running' };
  }

  async complete(
    { organizationId, callerId }: IdempotencyScope,
    key: string,
    lease: string,
    { status, headers, body }: Answer,
  ): Promise<void> {
    await this.sql.query(COMPLETE, [
      organizationId,
      callerId,
      key,
      lease,
      status,
      JSON.stringify(headers),
      this.box.seal(body, `${organizationId}/${callerId}/${key}`),
    ]);
  }

  async abandon({ organizationId, callerId }: IdempotencyScope, key: string, lease: string): Promise<void> {
    await this.sql.query(ABANDON, [organizationId, callerId, key, lease]);
  }

  /** Deletes what is older than 24 hours. For a daily job: an old key is harmless, it only takes space. */
  async purge(): Promise<void> {
    await this.sql.query(PURGE, []);
  }

  #heldBySame({ status, headers, body }: Row, context: string): Begun {
    if (typeof status !== 'number') return { state: 'running' };
    return { state: 'replay', status, headers: headers as Record<string, string>, body: this.box.open(body as string, context) };
  }
}
