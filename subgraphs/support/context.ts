import type { Clock } from '../../kernel/clock.ts';
import type { RecordLoader } from '../../kernel/loaders.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Agent } from './agents/agent.entity.ts';
import type { AgentService } from './agents/agent.service.ts';
import type { CategoryService } from './categories/category.service.ts';
import type { EscalationService } from './escalations/escalation.service.ts';
import type { SlaPolicyService } from './sla/sla-policy.service.ts';
import type { Ticket } from './tickets/ticket.entity.ts';
import type { TicketService } from './tickets/ticket.service.ts';

/** What the resolvers of one request work with. */
export interface SupportContext {
  principal: Principal;
  clock: Clock;
  /** Public origin of the platform, for links. */
  origin: string;
  tickets: TicketService;
  agents: AgentService;
  categories: CategoryService;
  slaPolicies: SlaPolicyService;
  escalations: EscalationService;
  loaders: { tickets: RecordLoader<Ticket>; agents: RecordLoader<Agent> };
}
