import type { EntityManager } from '../../../kernel/database.ts';
import { newId } from '../../../kernel/ids.ts';
import { CATEGORY_IDS, type CategoryId } from '../tickets/ticket.categories.ts';
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
export class AgentService {
  constructor(private readonly organizationId: string) {}

  /** Of the agents for a category the one with the fewest unresolved tickets. Runs in the transaction that assigns. */
  async leastBusy(tx: EntityManager, category: string, now: Date): Promise<Agent> {
    const agents = await tx.find(Agent, { specialization: category }, { orderBy: { id: 'asc' } });
    const [first, second] = agents;
    if (!first) {
      await this.#openDesks(tx, now);
      return tx.findOneOrFail(Agent, { specialization: category });
    }
    return second ? this.#leastBusyOf(tx, agents) : first;
  }

  async #leastBusyOf(tx: EntityManager, agents: Agent[]): Promise<Agent> {
    const { schema } = tx.config.getAll();
    const [row] = await tx.getConnection().execute<{ id: string }[]>(
      `select a.id from unnest(?::text[]) with ordinality as a(id, place)
       order by (select count(*) from "${schema}"."ticket" t
                 where t."organization_id" = ? and t."agent_id" = a.id and t."status" <> 'resolved'), a.place limit 1`,
      [`{${agents.map(({ id }) => id).join(',')}}`, this.organizationId],
      'all',
      tx.getTransactionContext(),
    );
    return agents.find(({ id }) => id === row?.id) ?? (agents[0] as Agent);
  }

  async #openDesks(tx: EntityManager, now: Date): Promise<void> {
    const desks = CATEGORY_IDS.map((category) => ({
      id: newId('agent'),
      organizationId: this.organizationId,
      name: DESK_NAMES[category],
      email: `${category}@desk.example.com`,
      specialization: category,
      createdAt: now,
    }));
    // two first tickets at once open the desks once
    await tx.upsertMany(Agent, desks, { onConflictFields: ['organizationId', 'email'], onConflictAction: 'ignore' });
  }
}
