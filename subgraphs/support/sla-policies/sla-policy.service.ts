import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { definedOnly, LOCKED, onDuplicate, orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import type { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import { CategoryOverride } from '../categories/category-override.entity.ts';
import type { SlaTarget, SlaTargets } from '../sla/sla-terms.ts';
import { parseMinutes } from '../working-time/durations.ts';
import { SlaPolicy } from './sla-policy.entity.ts';
import { PolicyInUse, PolicyNameTaken } from './sla-policy.errors.ts';
import type { SlaPolicyCreateInput, SlaPolicyTargetInput, SlaPolicyUpdateInput } from './sla-policy.inputs.ts';

export interface SlaPolicyServiceDeps {
  em: EntityManager;
  organizationId: string;
  clock: Clock;
}

/** Manages the SLA policies of the caller's organization. */
export class SlaPolicyService {
  constructor(private readonly deps: SlaPolicyServiceDeps) {}

  find(id: string): Promise<SlaPolicy | null> {
    return this.deps.em.findOne(SlaPolicy, { id });
  }

  list(page: PageInput): Promise<Page<SlaPolicy>> {
    return listPage(this.deps.em, SlaPolicy, { where: {}, page, defaultSort: NEWEST_FIRST });
  }

  /** Creates a policy. @throws PolicyNameTaken if the organization has a policy with this name */
  async create({ targets, holidays, ...input }: SlaPolicyCreateInput): Promise<SlaPolicy> {
    const { em, organizationId, clock } = this.deps;
    const now = clock.now();
    const policy = Object.assign(new SlaPolicy(), input, { id: newId('slaPolicy'), organizationId, createdAt: now, updatedAt: now });
    policy.holidays = holidays ?? [];
    policy.targets = targetsOf(targets);
    const creating = em.transactional(async (tx) => tx.persist(policy) && policy);
    return creating.catch(onDuplicate(() => new PolicyNameTaken()));
  }

  /**
   * Updates a policy. `expected` is the revision that the caller has seen.
   * @throws ResourceNotFound, StaleResource, PolicyNameTaken
   */
  async update(id: string, { targets, ...input }: SlaPolicyUpdateInput, expected?: number | null): Promise<SlaPolicy> {
    const { em, clock } = this.deps;
    const updating = em.transactional(async (tx) => {
      const policy = orNotFound(await tx.findOne(SlaPolicy, { id }, LOCKED), 'sla_policy', id);
      requireRevision(policy, expected);
      Object.assign(policy, definedOnly(input), { updatedAt: clock.now() });
      if (targets) policy.targets = targetsOf(targets);
      return policy;
    });
    return updating.catch(onDuplicate(() => new PolicyNameTaken()));
  }

  /** Deletes a policy. @throws ResourceNotFound, PolicyInUse */
  async delete(id: string): Promise<SlaPolicy> {
    return this.deps.em.transactional(async (tx) => {
      const policy = orNotFound(await tx.findOne(SlaPolicy, { id }), 'sla_policy', id);
      const users = await tx.find(CategoryOverride, { slaPolicyId: id });
      if (users.length > 0) throw new PolicyInUse(users.map(({ category }) => category));
      tx.remove(policy);
      return policy;
    });
  }
}

const targetsOf = (inputs: readonly SlaPolicyTargetInput[]): SlaTargets =>
  Object.fromEntries(
    inputs.map(({ priority, responseTime, resolutionTime, escalateAfter }): [TicketPriority, SlaTarget] => [
      priority,
      {
        responseMinutes: parseMinutes(responseTime),
        resolutionMinutes: parseMinutes(resolutionTime),
        escalateAfterMinutes: (escalateAfter ?? []).map(parseMinutes),
      },
    ]),
  ) as Record<TicketPriority, SlaTarget>;
