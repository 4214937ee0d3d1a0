import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { definedOnly, LOCKED, onDuplicate, orNotFound } from '../../../kernel/records/records.ts';
import { matching } from '../../../kernel/records/where.ts';
import { Agent } from './agent.entity.ts';
import { AgentEmailTaken, LastActiveAgent } from './agent.errors.ts';
import type { AgentCreateInput, AgentFilter, AgentUpdateInput } from './agent.inputs.ts';
import type { AgentAssignment } from './agent-assignment.ts';

export interface AgentServiceDeps {
  em: EntityManager;
  organizationId: string;
  clock: Clock;
  assignment: AgentAssignment;
  loader: RecordLoader<Agent>;
}

/** Manages the agents of the caller's organization. */
export class AgentService {
  constructor(private readonly deps: AgentServiceDeps) {}

  find(id: string): Promise<Agent | null> {
    return this.deps.loader.load(id);
  }

  list({ active, specialization }: AgentFilter, page: PageInput): Promise<Page<Agent>> {
    const where = matching<Agent>({ active, specialization });
    return listPage(this.deps.em, Agent, { where, page, defaultSort: NEWEST_FIRST });
  }

  /** Creates an agent. @throws AgentEmailTaken if another agent has this e-mail address */
  create(input: AgentCreateInput): Promise<Agent> {
    const { em, organizationId, clock, assignment } = this.deps;
    const creating = em.transactional(async (tx) => {
      const now = clock.now();
      // if the organization has no agents yet, creates its desk agents first
      if ((await tx.count(Agent)) === 0) await assignment.openDesks(tx, now);
      const agent = Object.assign(new Agent(), storedFields(input), { id: newId('agent'), organizationId, createdAt: now });
      tx.persist(agent);
      return agent;
    });
    return creating.catch(onDuplicate(() => new AgentEmailTaken()));
  }

  /** Updates an agent. @throws ResourceNotFound, AgentEmailTaken, LastActiveAgent */
  update(id: string, input: AgentUpdateInput): Promise<Agent> {
    const updating = this.deps.em.transactional(async (tx) => {
      const agent = orNotFound(await tx.findOne(Agent, { id }), 'agent', id);
      if (agent.active && input.active === false) await requireAnotherActive(tx, id);
      return Object.assign(agent, storedFields(input));
    });
    return updating.catch(onDuplicate(() => new AgentEmailTaken()));
  }
}

/**
 * Checks that the organization has an active agent other than `id`. Locks the agents, so concurrent deactivations run
 * one after the other.
 * @throws LastActiveAgent
 */
async function requireAnotherActive(tx: EntityManager, id: string): Promise<void> {
  const active = await tx.find(Agent, { active: true }, { orderBy: { id: 'asc' }, ...LOCKED });
  if (!active.some((other) => other.id !== id)) throw new LastActiveAgent();
}

/**
 * Returns the fields in the form that is stored. E-mail addresses are stored in lower case, so that two addresses
 * cannot differ only in case.
 */
const storedFields = ({ email, ...input }: AgentUpdateInput): Partial<AgentUpdateInput> =>
  definedOnly({ ...input, email: email?.toLowerCase() });
