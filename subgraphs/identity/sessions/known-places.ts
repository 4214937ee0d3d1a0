import type { KeyedHash } from '../../../kernel/access/secrets.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { networkOf } from '../../../kernel/outbound/network.ts';
import type { ClientInfo } from '../../../kernel/request.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { storedForms } from '../../../kernel/values/email.ts';

/** Time for which a place is stored after the last sign-in from this place. */
const KEPT_MS = 90 * DAY_MS;
/** Maximum number of places stored per user. The most recent places are kept. */
const PLACES_MAX = 20;

/** The checks that the user passed at a place. */
export interface Proof {
  /** True if a second factor was verified; false if only a password was verified. */
  secondFactor: boolean;
}

/**
 * Places (IP networks) from which users have signed in. Failed logins from other places do not lock users out at these
 * places. A place is stored as an HMAC with the user's id: a plain hash could be reversed by trying all addresses.
 */
export class KnownPlaces {
  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
    private readonly hash: KeyedHash,
  ) {}

  /**
   * Returns whether the user with this e-mail address has signed in from the network of `ip`. Returns false for an unknown e-mail address.
   */
  async isKnown(email: string, ip: string | undefined): Promise<boolean> {
    const forms = storedForms(email);
    const rows = await this.#em().execute<Row[]>(
      `select p."user_id", p."place" from "identity"."known_place" p join "identity"."user" u on u."id" = p."user_id"
       where u."email" in (${forms.map(() => '?').join(', ')}) and p."expires_at" > ?`,
      [...forms, this.clock.now()],
    );
    return rows.some(({ user_id, place }) => place === this.#hash(user_id, ip));
  }

  /** Returns whether the user has verified a second factor in the network of `ip`. */
  async isVerified(userId: string, ip: string | undefined): Promise<boolean> {
    const rows = await this.#em().execute<Row[]>(
      `select "user_id", "place" from "identity"."known_place" where "user_id" = ? and "place" = ? and "second_factor" and "expires_at" > ?`,
      [userId, this.#hash(userId, ip), this.clock.now()],
    );
    return rows.length > 0;
  }

  /** Stores a place. Call it in a transaction that has locked the user, so that concurrent sign-ins are serialized. */
  async remember(tx: EntityManager, userId: string, client: ClientInfo | undefined, { secondFactor }: Proof): Promise<void> {
    if (!client?.ip) return;
    const now = this.clock.now();
    await tx.execute(
      `insert into "identity"."known_place" as p ("user_id", "place", "second_factor", "last_seen", "expires_at") values (?, ?, ?, ?, ?)
       on conflict ("user_id", "place") do update set
         "second_factor" = p."second_factor" or excluded."second_factor",
         "last_seen" = excluded."last_seen",
         "expires_at" = excluded."expires_at"`,
      [userId, this.#hash(userId, client.ip), secondFactor, now, new Date(now.getTime() + KEPT_MS)],
    );
    await tx.execute(
      `delete from "identity"."known_place" where "user_id" = ? and "place" in
         (select "place" from "identity"."known_place" where "user_id" = ? order by "last_seen" desc, "place" offset ?)`,
      [userId, userId, PLACES_MAX],
    );
  }

  #hash(userId: string, ip = ''): string {
    return this.hash(`${userId}\0${networkOf(ip)}`).toString('base64url');
  }

  #em(): EntityManager {
    return this.orm.em.fork();
  }
}

interface Row {
  user_id: string;
  place: string;
}
