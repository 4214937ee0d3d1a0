import type { EntityManager } from '../../../kernel/database/database.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { CATEGORY_IDS, type CategoryId } from '../categories/category-ids.ts';
import { Agent } from './agent.entity.ts';

const DESK_NAMES: Record<CategoryId, string> = {
  general: 'Service Desk',
  connectivity: 'Connectivity Desk',
  voice: 'Voice Desk',
  cloud: 'Cloud Desk',
  security: 'Security Desk',
  ai: 'AI Desk',
  billing: 'Billing Desk',
  account: 'Account Desk',
};

/**
 * Chooses the agent of a ticket. Every organization has one desk agent for each category, which holds tickets that no
 * person has taken yet. The organization can add agents that are people.
 */
export class AgentAssignment {
  constructor(private readonly organizationId: string) {}

  /**
   * Returns the active agent of a category with the fewest unresolved tickets. If the category has no active agent,
   * compares the active agents of the category `general`. If `general` has no active agent either, compares all active
   * agents. Must run in the transaction that assigns the ticket.
   */
  async leastBusy(tx: EntityManager, active: readonly Agent[], category: string): Promise<Agent> {
    const agents = agentsFor(active, category);
    return agents.length === 1 ? (agents[0] as Agent) : this.#leastBusyOf(tx, agents);
  }

  /**
   * Returns the desk agent of a category, which holds tickets until a person takes them. If the desk agent is inactive,
   * returns the agent with the fewest unresolved tickets, chosen as in `leastBusy`.
   */
  async desk(tx: EntityManager, active: readonly Agent[], category: string): Promise<Agent> {
    const agents = agentsFor(active, category);
    return agents.find(({ desk }) => desk) ?? this.#leastBusyOf(tx, agents);
  }

  async #leastBusyOf(tx: EntityManager, agents: readonly Agent[]): Promise<Agent> {
    const { schema } = tx.config.getAll();
    const [row] = await tx.execute<{ id: string }[]>(
      `select a.id from unnest(?::text[]) with ordinality as a(id, place)
       order by (select count(*) from "${schema}"."ticket" t
                 where t."organization_id" = ? and t."agent_id" = a.id and t."status" <> 'resolved'), a.place limit 1`,
      [`{${agents.map(({ id }) => id).join(',')}}`, this.organizationId],
    );
    return agents.find(({ id }) => id === row?.id) ?? (agents[0] as Agent);
  }

  /** Creates the desk agents that do not exist yet. */
  async openDesks(tx: EntityManager, now: Date): Promise<void> {
    const desks = CATEGORY_IDS.map((category) => ({
      id: newId('agent'),
      organizationId: this.organizationId,
      name: DESK_NAMES[category],
      email: `${category}@desk.example.com`,
      specialization: category,
      active: true,
      desk: true,
      createdAt: now,
    }));
    // a concurrent transaction may have created the same desk agents
    await tx.upsertMany(Agent, desks, { onConflictFields: ['organizationId', 'email'], onConflictAction: 'ignore' });
  }
}

/**
 * Returns the active agents of the category. If the category has no active agents, returns the active agents of the
 * category `general`. If `general` has no active agents either, returns all active agents. The result is never empty,
 * because the last active agent cannot be deactivated.
 */
function agentsFor(active: readonly Agent[], category: string): readonly Agent[] {
  for (const wanted of [category, 'general']) {
    const agents = active.filter(({ specialization }) => specialization === wanted);
    if (agents.length > 0) return agents;
  }
  return active;
}
