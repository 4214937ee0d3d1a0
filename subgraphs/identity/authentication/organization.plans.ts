import type { Plan } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { ChangeFeed } from './change.feed.ts';
import { CredentialCache, type Found } from './credential.cache.ts';

const CACHED = 10_000;

/** The plans of organizations, kept in memory until they change, as what is known of credentials is. */
export class OrganizationPlans {
  readonly #known: CredentialCache<Plan>;

  constructor(
    private readonly rows: Rows,
    feed: ChangeFeed,
  ) {
    this.#known = new CredentialCache(feed, CACHED);
  }

  /** Of an organization that there is not: the smallest. */
  async planOf(organizationId: string): Promise<Plan> {
    return (await this.#known.get(organizationId, () => this.#load(organizationId))) ?? 'developer';
  }

  async #load(id: string): Promise<Found<Plan> | undefined> {
    const [row] = await this.rows.query<{ plan: Plan }>('select "plan" from "identity"."organization" where "id" = $1', [id]);
    return row && { value: row.plan, subjects: [id] };
  }
}
