import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { existing, given, LOCKED, onDuplicate } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import { CategoryOverride } from '../categories/category-override.entity.ts';
import type { SlaTarget, SlaTargets } from '../sla/sla.terms.ts';
import type { TicketPriority } from '../ticket.states.ts';
import { parseMinutes } from '../working-time/durations.ts';
import { SlaPolicy } from './sla-policy.entity.ts';
import { PolicyInUse, PolicyNameTaken } from './sla-policy.errors.ts';
import type { SlaPolicyCreateInput, SlaPolicyTargetInput, SlaPolicyUpdateInput } from './sla-policy.inputs.ts';

export interface SlaPolicyServiceDeps {
  em: EntityManager;
  organizationId: string;
  clock: Clock;
}

/** The SLA policies of the caller's organization. */
export class SlaPolicyService {
  constructor(private readonly deps: SlaPolicyServiceDeps) {}

  find(id: string): Promise<SlaPolicy | null> {
    return this.deps.em.findOne(SlaPolicy, { id });
  }

  list(page: PageInput): Promise<Page<SlaPolicy>> {
    return listPage(this.deps.em, SlaPolicy, { where: {}, page, defaultSort: NEWEST_FIRST });
  }

  /** @throws PolicyNameTaken, InvalidParameters */
  async create({ targets, holidays, ...input }: SlaPolicyCreateInput): Promise<SlaPolicy> {
    const { em, organizationId, clock } = this.deps;
    const now = clock.now();
    const policy = Object.assign(new SlaPolicy(), input, { id: newId('slaPolicy'), organizationId, createdAt: now, updatedAt: now });
    policy.holidays = holidays ?? [];
    policy.targets = targetsOf(targets);
    const creating = em.transactional(async (tx) => tx.persist(policy) && policy);
    return creating.catch(onDuplicate(() => new PolicyNameTaken()));
  }

  /** `expected`: the revision that the caller has seen. @throws ResourceNotFound, StaleResource, PolicyNameTaken, InvalidParameters */
  async update(id: string, { targets, ...input }: SlaPolicyUpdateInput, expected?: number | null): Promise<SlaPolicy> {
    const { em, clock } = this.deps;
    const updating = em.transactional(async (tx) => {
      const policy = existing(await tx.findOne(SlaPolicy, { id }, LOCKED), 'sla_policy', id);
      requireRevision(policy, expected);
      Object.assign(policy, given(input), { updatedAt: clock.now() });
      if (targets) policy.targets = targetsOf(targets);
      return policy;
    });
    return updating.catch(onDuplicate(() => new PolicyNameTaken()));
  }

  /** @throws ResourceNotFound, PolicyInUse */
  async delete(id: string): Promise<SlaPolicy> {
    return this.deps.em.transactional(async (tx) => {
      const policy = existing(await tx.findOne(SlaPolicy, { id }), 'sla_policy', id);
      const users = await tx.find(CategoryOverride, { slaPolicyId: id });
      if (users.length > 0) throw new PolicyInUse(users.map(({ category }) => category));
      tx.remove(policy);
      return policy;
    });
  }
}

/** @throws InvalidParameters where a priority is named twice, and for levels that do not follow each other */
function targetsOf(inputs: readonly SlaPolicyTargetInput[]): SlaTargets {
  const targets = new Map<TicketPriority, SlaTarget>();
  inputs.forEach(({ priority, responseTime, resolutionTime, escalateAfter }, index) => {
    const refuse = (member: string, value: unknown, reason: string): never => {
      throw new InvalidParameters([{ field: `targets.${index}.${member}`, value, reason }]);
    };
    if (targets.has(priority)) refuse('priority', priority, 'is there twice');
    const levels = (escalateAfter ?? []).map(parseMinutes);
    if (levels.some((minutes, at) => at > 0 && minutes <= (levels[at - 1] ?? 0)))
      refuse('escalateAfter', escalateAfter, 'must hold times that are each later than the one before');
    targets.set(priority, {
      responseMinutes: parseMinutes(responseTime),
      resolutionMinutes: parseMinutes(resolutionTime),
      escalateAfterMinutes: levels,
    });
  });
  return Object.fromEntries(targets) as Record<TicketPriority, SlaTarget>;
}
