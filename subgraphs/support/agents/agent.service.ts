import { type FilterQuery, LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database.ts';
import { ResourceNotFound } from '../../../kernel/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/ids.ts';
import type { RecordLoader } from '../../../kernel/loaders.ts';
import { listPage } from '../../../kernel/pagination.ts';
import type { AgentAssignment } from './agent.assignment.ts';
import { Agent } from './agent.entity.ts';
import { AgentEmailTaken, LastActiveAgent } from './agent.errors.ts';
import type { AgentCreateInput, AgentFilter, AgentUpdateInput } from './agent.inputs.ts';

export interface AgentServiceDeps {
  em: EntityManager;
  organizationId: string;
  clock: Clock;
  assignment: AgentAssignment;
  loader: RecordLoader<Agent>;
}

/** Who works on the tickets of the caller's organization. */
export class AgentService {
  constructor(private readonly deps: AgentServiceDeps) {}

  find(id: string): Promise<Agent | null> {
    return this.deps.loader.load(id);
  }

  list(filter: AgentFilter, page: PageInput): Promise<Page<Agent>> {
    return listPage(this.deps.em, Agent, { where: whereOf(filter), page, defaultSort: NEWEST_FIRST });
  }

  /** @throws AgentEmailTaken */
  create(input: AgentCreateInput): Promise<Agent> {
    const { em, organizationId, clock, assignment } = this.deps;
    return unique(() =>
      em.transactional(async (tx) => {
        const now = clock.now();
        // the first agent of an organization joins its desks
        if ((await tx.count(Agent)) === 0) await assignment.openDesks(tx, now);
        const agent = Object.assign(new Agent(), input, { id: newId('agent'), organizationId, createdAt: now });
        tx.persist(agent);
        return agent;
      }),
    );
  }

  /** @throws ResourceNotFound, AgentEmailTaken, LastActiveAgent */
  update(id: string, input: AgentUpdateInput): Promise<Agent> {
    return unique(() =>
      this.deps.em.transactional(async (tx) => {
        const agent = await tx.findOne(Agent, { id });
        if (!agent) throw new ResourceNotFound('agent', id);
        if (agent.active && input.active === false) await keepSomebody(tx, id);
        for (const [name, value] of Object.entries(input)) if (value !== undefined) Object.assign(agent, { [name]: value });
        return agent;
      }),
    );
  }
}

/** Two that are deactivated at once wait for each other. @throws LastActiveAgent */
async function keepSomebody(tx: EntityManager, id: string): Promise<void> {
  const active = await tx.find(Agent, { active: true }, { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!active.some((other) => other.id !== id)) throw new LastActiveAgent();
}

async function unique<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof UniqueConstraintViolationException ? new AgentEmailTaken() : error;
  }
}

const whereOf = ({ active, specialization }: AgentFilter): FilterQuery<Agent> => ({
  ...(active !== undefined && active !== null && { active }),
  ...(specialization && { specialization: { $in: specialization } }),
});
