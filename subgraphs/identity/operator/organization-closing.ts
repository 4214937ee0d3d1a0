import { parse } from 'graphql';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Graph } from '../../../kernel/graph.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { requestOf } from '../../../kernel/request.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { Organization } from '../organizations/organization.entity.ts';
import { type LiveRecords, OrganizationInUse } from '../organizations/organization.errors.ts';
import { OrganizationStatus } from '../organizations/organization.states.ts';
import type { PlatformAccesses } from './platform-access.ts';

const QUEUE = 'identity.organization-closing';
/**
 * Time between the closing and the second check for live services. Any request that was authenticated before the
 * closing takes less time.
 */
const CONFIRMED_AFTER_MS = 60_000;
const NAMED = 20;
const LIVE = parse(`query LiveRecords {
  services(filter: { status: [PENDING, PROVISIONING, OPERATIONAL, DEGRADED, DOWN, MAINTENANCE, SUSPENDED, DECOMMISSIONING] }, page: { limit: ${NAMED} }) { nodes { id } }
  provisioningRequests(filter: { status: [PENDING, ACKNOWLEDGED, IN_PROGRESS] }, page: { limit: ${NAMED} }) { nodes { id } }
}`);

type Found = Record<'services' | 'provisioningRequests', { nodes: { id: string }[] }>;

interface ConfirmationJob {
  organizationId: string;
  /** Status of the organization before it was closed. If the organization is reopened, a suspension is restored. */
  before?: OrganizationStatus;
}

export interface OrganizationClosingParts {
  orm: Orm;
  clock: Clock;
  graph: Graph;
  jobs: Jobs;
  log: Logger;
  trail: AuditTrail;
  feed: ChangeFeed;
  access: PlatformAccesses;
}

/**
 * Closes organizations. Refuses to close an organization that has live services or open provisioning requests. A request that is already
 * running may still order a service. So a job checks again one minute after the closing. If a service was ordered, the job reopens the
 * organization.
 */
export class OrganizationClosing {
  constructor(private readonly parts: OrganizationClosingParts) {
    parts.jobs.define<ConfirmationJob>(QUEUE, (job) => this.#confirm(job), { retryLimit: 20 });
  }

  /**
   * Checks that the organization has no live services or open provisioning requests. Queries the services domain
   * through the federated graph. Call it outside of any transaction.
   * @throws OrganizationInUse
   */
  async requireUnused(organizationId: string): Promise<void> {
    const live = await this.#live(organizationId);
    if (isAny(live)) throw new OrganizationInUse(live);
  }

  /** Returns whether the organization has no live services and no open provisioning requests. */
  async isUnused(organizationId: string): Promise<boolean> {
    return !isAny(await this.#live(organizationId));
  }

  /**
   * Schedules the second check, in the transaction that closes the organization. `before` is the status of the
   * organization before it was closed.
   */
  confirmLater(tx: EntityManager, organizationId: string, before: OrganizationStatus): Promise<void> {
    const { jobs, clock } = this.parts;
    const startAfter = new Date(clock.now().getTime() + CONFIRMED_AFTER_MS);
    return jobs.enqueue(tx, QUEUE, { organizationId, before } satisfies ConfirmationJob, { startAfter });
  }

  async #confirm({ organizationId: id, before }: ConfirmationJob): Promise<void> {
    const { orm, clock, trail, feed, access, log } = this.parts;
    const live = await this.#live(id);
    if (!isAny(live)) return;
    const operator = await access.operator();
    await orm.em.fork().transactional(async (tx) => {
      const organization = await tx.findOne(Organization, { id }, LOCKED);
      if (organization?.status !== OrganizationStatus.CLOSED) return;
      organization.moveTo(OrganizationStatus.ACTIVE, clock.now());
      // an organization that was suspended before it was closed must become suspended again, not active
      if (before === OrganizationStatus.SUSPENDED) organization.moveTo(before, clock.now());
      const entry = { eventType: 'organization_resumed', reason: 'services were ordered while it was closed' };
      await trail.record({ ...entry, organizationId: id }, tx);
      if (operator) await trail.record({ ...entry, organizationId: operator.id, reason: `organization ${id}; ${entry.reason}` }, tx);
      log.warn({ organization: id, ...live }, 'a closed organization was reopened: services were ordered while it was closed');
    });
    feed.changed(id);
  }

  async #live(organizationId: string): Promise<LiveRecords> {
    const { graph, log } = this.parts;
    const { services, provisioningRequests } = await graph.query<Found>(LIVE, {}, requestOf(QUEUE, organizationId, log));
    const idsOf = ({ nodes }: Found['services']): string[] => nodes.map(({ id }) => id);
    return { serviceIds: idsOf(services), provisioningRequestIds: idsOf(provisioningRequests) };
  }
}

const isAny = ({ serviceIds, provisioningRequestIds }: LiveRecords): boolean => serviceIds.length + provisioningRequestIds.length > 0;
