import type { Plan } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { requireActive } from '../organizations/organization.errors.ts';
import { OrganizationStatus } from '../organizations/organization.states.ts';
import type { ChangeFeed } from './change-feed.ts';
import { CredentialCache, type Found } from './credential-cache.ts';

const CACHED = 10_000;

interface PlanAndStatus {
  plan: Plan;
  status: OrganizationStatus;
}

/** Caches plan and status of organizations in memory until they change. */
export class OrganizationStatusCache {
  readonly #known: CredentialCache<PlanAndStatus>;

  constructor(
    private readonly rows: Rows,
    feed: ChangeFeed,
  ) {
    this.#known = new CredentialCache(feed, CACHED);
  }

  /** Returns the plan of an organization, or the smallest plan if the organization does not exist. */
  async planOf(organizationId: string): Promise<Plan> {
    return (await this.#of(organizationId))?.plan ?? 'developer';
  }

  /**
   * Returns whether the organization is suspended or closed. While it is suspended or closed, background work with effects outside the
   * platform must wait.
   */
  async isSuspended(organizationId: string): Promise<boolean> {
    const { status = OrganizationStatus.ACTIVE } = (await this.#of(organizationId)) ?? {};
    return status !== OrganizationStatus.ACTIVE;
  }

  /**
   * Returns whether the organization is closed. Background work that continues while an organization is suspended must also stop when it is
   * closed.
   */
  async isClosed(organizationId: string): Promise<boolean> {
    return (await this.#of(organizationId))?.status === OrganizationStatus.CLOSED;
  }

  /**
   * Checks that the organization is active. Called for every request. If the organization is cached, returns undefined
   * instead of a promise.
   * @throws OrganizationSuspended, OrganizationClosed
   */
  requireActive(organizationId: string): Promise<void> | undefined {
    const known = this.#of(organizationId);
    if (known instanceof Promise) return known.then(mayAct);
    return mayAct(known);
  }

  #of(organizationId: string): PlanAndStatus | Promise<PlanAndStatus | undefined> | undefined {
    return this.#known.get(organizationId, () => this.#load(organizationId));
  }

  async #load(id: string): Promise<Found<PlanAndStatus> | undefined> {
    const [row] = await this.rows.query<PlanAndStatus>('select "plan", "status" from "identity"."organization" where "id" = $1', [id]);
    return row && { value: row, subjects: [id] };
  }
}

function mayAct(organization: PlanAndStatus | undefined): undefined {
  if (organization) requireActive(organization.status);
}
