import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { KeyedHash, Secrets } from '../../../kernel/access/secrets.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { OAUTH_RECORDS } from '../sealed.ts';

export interface OAuthStoreParts {
  rows: Rows;
  clock: Clock;
  feed: ChangeFeed;
  secrets: Secrets;
}

/** Time for which a revocation is stored. It is longer than the lifetime of an access token. */
const REVOKED_KEPT_MS = 2 * 3_600_000;
/** Lifetime of records for which the provider states no lifetime. */
const DEFAULT_SECONDS = 86_400;

interface Row {
  hash: string;
  payload: string;
  consumed_at: Date | null;
}

/**
 * Stores the provider's codes, refresh tokens, grants, page sessions and pending requests. A leaked table reveals no
 * credentials: ids are keyed hashes (a user code is too short for a plain hash), and payloads are encrypted. All times
 * are from the platform's clock.
 */
export class OAuthStore {
  readonly #box: SecretBox;
  readonly #hashOf: KeyedHash;

  constructor(private readonly parts: OAuthStoreParts) {
    this.#box = parts.secrets.box(OAUTH_RECORDS);
    this.#hashOf = parts.secrets.hash('oauth-record-ids');
  }

  /** Returns the adapter through which the provider stores one kind of record. */
  adapterOf(kind: string): Adapter {
    return {
      upsert: (id, payload, seconds) => this.#upsert(kind, id, payload, seconds),
      find: (id) => this.#find(kind, 'hash', this.#hash(id)),
      findByUid: (uid) => this.#find(kind, 'uid_hash', this.#hash(uid)),
      findByUserCode: (code) => this.#find(kind, 'user_code_hash', this.#hash(code)),
      consume: (id) => this.#consume(kind, id),
      destroy: (id) => this.#destroy(kind, id),
      revokeByGrantId: async (grantId) =>
        void (await this.#query(`delete from "identity"."oauth_record" where "kind" = $1 and "grant_id" = $2`, [kind, grantId])),
    };
  }

  /**
   * Revokes a grant and all tokens that were issued under the grant. Access tokens are not stored, so the id of their
   * grant is stored as revoked.
   */
  async revokeGrant(grantId: string): Promise<void> {
    await this.#query(
      `with gone as (delete from "identity"."oauth_record" where "grant_id" = $1)
       insert into "identity"."revoked_token" ("id", "revoked_at", "expires_at") values ($1, $2, $3) on conflict ("id") do nothing`,
      [grantId, this.#now(), this.#revokedUntil()],
    );
    this.parts.feed.changed(grantId);
  }

  /** Revokes a single access token. */
  async revokeToken(jti: string): Promise<void> {
    await this.#query(
      `insert into "identity"."revoked_token" ("id", "revoked_at", "expires_at") values ($1, $2, $3) on conflict ("id") do nothing`,
      [jti, this.#now(), this.#revokedUntil()],
    );
    this.parts.feed.changed(jti);
  }

  async #upsert(kind: string, id: string, payload: AdapterPayload, seconds = DEFAULT_SECONDS): Promise<void> {
    const hash = this.#hash(id);
    const { uid, userCode, grantId = kind === 'Grant' ? id : undefined, clientId, accountId } = payload;
    await this.#query(
      `insert into "identity"."oauth_record"
         ("kind", "hash", "payload", "uid_hash", "user_code_hash", "grant_id", "client_id", "user_id", "expires_at")
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       on conflict ("kind", "hash") do update set "payload" = excluded."payload", "uid_hash" = excluded."uid_hash",
         "user_code_hash" = excluded."user_code_hash", "grant_id" = excluded."grant_id", "client_id" = excluded."client_id",
         "user_id" = excluded."user_id", "expires_at" = excluded."expires_at"`,
      [
        kind,
        hash,
        this.#box.seal(JSON.stringify({ ...payload, jti: id }), `${kind}:${hash}`),
        uid ? this.#hash(uid) : null,
        userCode ? this.#hash(userCode) : null,
        grantId ?? null,
        clientId ?? null,
        accountId ?? null,
        new Date(this.#now().getTime() + seconds * 1000),
      ],
    );
  }

  async #find(kind: string, column: 'hash' | 'uid_hash' | 'user_code_hash', value: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.#query<Row>(
      `select "hash", "payload", "consumed_at" from "identity"."oauth_record" where "kind" = $1 and "${column}" = $2 and "expires_at" > $3`,
      [kind, value, this.#now()],
    );
    if (!row) return undefined;
    const payload = JSON.parse(this.#box.open(row.payload, `${kind}:${row.hash}`)) as AdapterPayload;
    return row.consumed_at ? { ...payload, consumed: Math.floor(new Date(row.consumed_at).getTime() / 1000) } : payload;
  }

  /**
   * Marks a code or refresh token as used. If two requests use it at the same time, only one succeeds. The other
   * request is a replay: it fails and revokes the grant.
   * @throws AlreadyUsed
   */
  async #consume(kind: string, id: string): Promise<void> {
    const consumed = await this.#query<{ hash: string }>(
      `update "identity"."oauth_record" set "consumed_at" = $3 where "kind" = $1 and "hash" = $2 and "consumed_at" is null returning "hash"`,
      [kind, this.#hash(id), this.#now()],
    );
    if (consumed.length > 0) return;
    const { grantId } = (await this.#find(kind, 'hash', this.#hash(id))) ?? {};
    if (grantId) await this.revokeGrant(grantId);
    throw new AlreadyUsed();
  }

  async #destroy(kind: string, id: string): Promise<void> {
    if (kind === 'Grant') return this.revokeGrant(id);
    await this.#query(`delete from "identity"."oauth_record" where "kind" = $1 and "hash" = $2`, [kind, this.#hash(id)]);
  }

  #hash(id: string): string {
    return this.#hashOf(id).toString('hex');
  }

  #now(): Date {
    return this.parts.clock.now();
  }

  #revokedUntil(): Date {
    return new Date(this.#now().getTime() + REVOKED_KEPT_MS);
  }

  #query<R extends object>(sql: string, values: readonly unknown[]): Promise<R[]> {
    return this.parts.rows.query<R>(sql, values);
  }
}

/**
 * A code or refresh token was used twice. The properties of this class make the provider respond with 400
 * `invalid_grant`.
 */
export class AlreadyUsed extends Error {
  readonly error = 'invalid_grant';
  readonly error_description = 'grant request is invalid';
  readonly status = 400;
  readonly statusCode = 400;
  readonly expose = true;

  constructor() {
    super('invalid_grant');
  }
}
