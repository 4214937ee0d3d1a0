import { parse } from 'graphql';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { nextNumberAndChanges } from '../../../kernel/records/numbers.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { Known, ReferenceData } from '../../../kernel/records/reference-data.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { Agent } from '../agents/agent.entity.ts';
import type { AgentAssignment } from '../agents/agent-assignment.ts';
import type { AttachmentStore, Upload } from '../attachments/attachment.store.ts';
import { type Category, categoryFor } from '../categories/category.ts';
import { findCustomer } from '../customers.ts';
import type { Desk } from '../routing/ticket-desk.ts';
import type { TicketRouter } from '../routing/ticket-router.ts';
import { Visibility } from '../visibility.ts';
import { Ticket } from './ticket.entity.ts';
import type { TicketCreateInput } from './ticket.inputs.ts';
import type { TicketEditor } from './ticket-editor.ts';

const ACCOUNT = parse('query TicketAccount($id: ID!) { account(id: $id) { id customerId tier } }');
const SERVICE = parse('query TicketService($id: ID!) { service(id: $id) { account { id customerId tier } } }');

export interface TicketCreatorDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  assignment: AgentAssignment;
  editor: TicketEditor;
  attachments: AttachmentStore;
  router: TicketRouter;
  desks: ReferenceData<Desk>;
}

/** Steps in the transaction that creates a ticket. */
export interface CreationSteps {
  /** Runs first. If it returns false, the ticket was already created before, and no ticket is created. */
  claim(tx: EntityManager): Promise<boolean>;
  /** Runs last. */
  created(tx: EntityManager, ticket: Ticket): Promise<void>;
}

const NO_STEPS: CreationSteps = { claim: async () => true, created: async () => undefined };

/**
 * Creates tickets: checks the records that the input refers to, assigns an agent and applies the first matching routing
 * rule (specification 2.7, 3.1).
 */
export class TicketCreator {
  constructor(private readonly deps: TicketCreatorDeps) {}

  /**
   * Creates a ticket.
   * @throws ResourceNotFound for a customer or service that the organization does not have
   * @throws InvalidParameters for a rejected file, or a subcategory of another category
   */
  async create(input: TicketCreateInput): Promise<Ticket> {
    return (await this.createOnce(input, NO_STEPS)) as Ticket;
  }

  /** Creates a ticket unless `claim` returns false; then it returns null. Otherwise, it does the same as `create`. */
  async createOnce({ attachments: files, ...input }: TicketCreateInput, steps: CreationSteps): Promise<Ticket | null> {
    const account = (await this.#accountOf(input)) ?? (await this.#defaultAccount());
    if (account?.customerId) input.customerId = account.customerId;
    return this.deps.attachments.holding(this.#organizationId, files, (uploads) => this.#write(input, account, uploads, steps));
  }

  async #write(
    input: Omit<TicketCreateInput, 'attachments'>,
    account: TicketAccount | null,
    uploads: readonly Upload[],
    steps: CreationSteps,
  ): Promise<Ticket | null> {
    const { em, clock, editor, attachments, router, request } = this.deps;
    const now = clock.now();
    const known = await this.#known(now);
    return em.transactional(async (tx) => {
      if (!(await steps.claim(tx))) return null;
      const ticket = new Ticket();
      Object.assign(ticket, input, { id: newId('ticket'), organizationId: this.#organizationId, createdAt: now, updatedAt: now });
      ticket.accountId = account?.id ?? null;
      ticket.metadata = input.metadata ?? {};
      ticket.rank(input.priority);
      const destination = { ticketId: ticket.id, commentId: null, visibility: Visibility.CUSTOMER, actor: request.principal, now };
      ticket.attachments = (await attachments.attach(tx, uploads, destination)).toReversed();
      ticket.hasAttachments = uploads.length > 0;
      // from here until the commit, other transactions that create a ticket in this organization wait
      const { number, changes } = await nextNumberAndChanges(tx, 'ticket_counter', this.#organizationId);
      ticket.number = `TKT-${number}`;
      const desk = changes === known.changes ? known : await this.deps.desks.refreshed(tx, this.#organizationId);
      const { category, rule } = await this.#place(tx, ticket, input, desk.data, account?.tier ?? request.principal.plan);
      await editor.open(tx, ticket, category, request.principal);
      if (rule) await router.begin(tx, ticket, rule, request.principal.plan);
      await steps.created(tx, ticket);
      return ticket;
    });
  }

  /** Sets the category, the routing rule and the agent of a new ticket. */
  async #place(tx: EntityManager, ticket: Ticket, input: Pick<TicketCreateInput, 'category' | 'subcategory'>, desk: Desk, tier: string) {
    const { categories, rules, agents } = desk;
    const category = categoryFor(categories, input.category ?? 'general', input.subcategory);
    ticket.category = category.id;
    const rule = this.deps.router.match(rules, ticket, tier);
    ticket.routingRuleId = rule?.id ?? null;
    // undefined if the rule assigns no agent, or its agent was deactivated
    const named = agents.find(({ id }) => id === rule?.actions.assignTo);
    ticket.agent = named ?? (await this.#assignee(tx, category, ticket, agents));
    ticket.agentId = ticket.agent.id;
    return { category, rule };
  }

  /**
   * Loads the reference data for new tickets. If the organization has no active agents yet, creates its desk agents,
   * which hold tickets until a person takes them.
   */
  async #known(now: Date): Promise<Known<Desk>> {
    const { em, desks, assignment } = this.deps;
    const known = await desks.of(em, this.#organizationId);
    if (known.data.agents.length > 0) return known;
    await em.transactional((tx) => assignment.openDesks(tx, now));
    return desks.refreshed(em, this.#organizationId);
  }

  get #organizationId(): string {
    return this.deps.request.principal.organizationId;
  }

  #assignee(tx: EntityManager, category: Category, { subcategory }: Ticket, agents: readonly Agent[]): Promise<Agent> {
    const { assignment } = this.deps;
    return category.isAssigned(subcategory) ? assignment.leastBusy(tx, agents, category.id) : assignment.desk(tx, agents, category.id);
  }

  /**
   * Returns the account of a caller who is limited to one account; null if the caller is not limited.
   * @throws InvalidParameters if the caller is limited to several accounts
   */
  async #defaultAccount(): Promise<TicketAccount | null> {
    const { graph, request } = this.deps;
    const id = request.principal.defaultAccount('customerId');
    if (id === null) return null;
    return (await graph.query<{ account: TicketAccount | null }>(ACCOUNT, { id }, request)).account;
  }

  /**
   * Finds the account of the ticket's customer or service; null if the ticket has neither. The caller must have access
   * to the customer and the service, and the service must belong to the customer. A `serviceAffected` that is not an id
   * is free text and is not checked.
   */
  async #accountOf({
    customerId,
    serviceAffected,
  }: Pick<TicketCreateInput, 'customerId' | 'serviceAffected'>): Promise<TicketAccount | null> {
    const { graph, request } = this.deps;
    let account: TicketAccount | null = customerId ? await findCustomer(graph, request, customerId) : null;
    if (serviceAffected?.startsWith('svc_')) {
      const { service } = await graph.query<ServiceOwner>(SERVICE, { id: serviceAffected }, request);
      const owner = orNotFound(service, 'service', serviceAffected).account;
      if (customerId && owner.customerId !== customerId) {
        throw new InvalidParameters([{ field: 'serviceAffected', value: serviceAffected, reason: 'belongs to another customer' }]);
      }
      account = { id: owner.id, tier: owner.tier };
    }
    return account;
  }
}

/** Fields of an account that a new ticket needs. */
interface TicketAccount {
  id: string;
  tier: string | null;
  /**
   * Customer number, which `create` stores in the ticket. Not set by `#accountOf`, so the ticket keeps the customer number of the input, if
   * there is one.
   */
  customerId?: string;
}

interface ServiceOwner {
  service: { account: Required<TicketAccount> } | null;
}
