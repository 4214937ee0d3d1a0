import type { EntityManager } from '../../../kernel/database/database.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { CATEGORY_IDS, type CategoryId } from '../categories/category.ids.ts';
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

/** Finds who takes a ticket. An organization starts with one desk for each category; teams add people to them. */
export class AgentAssignment {
  constructor(private readonly organizationId: string) {}

  /**
   * Of the active agents for a category the one with the fewest unresolved tickets; where there is none, of those for general
   * matters, else of all. Runs in the transaction that assigns.
   */
  async leastBusy(tx: EntityManager, active: readonly Agent[], category: string): Promise<Agent> {
    const agents = agentsFor(active, category);
    return agents.length === 1 ? (agents[0] as Agent) : this.#leastBusyOf(tx, agents);
  }

  /** Where a ticket of the category lies until somebody takes it: its desk, or who is there if the desk is closed. */
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

  /** Makes the desks where there are none. */
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
    // two first tickets at once open the desks once
    await tx.upsertMany(Agent, desks, { onConflictFields: ['organizationId', 'email'], onConflictAction: 'ignore' });
  }
}

/** Never empty: the last active agent cannot be deactivated. */
function agentsFor(active: readonly Agent[], category: string): readonly Agent[] {
  for (const wanted of [category, 'general']) {
    const agents = active.filter(({ specialization }) => specialization === wanted);
    if (agents.length > 0) return agents;
  }
  return active;
}
