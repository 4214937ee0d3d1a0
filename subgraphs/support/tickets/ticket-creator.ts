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
import type { AgentAssignment } from '../agents/agent.assignment.ts';
import type { Agent } from '../agents/agent.entity.ts';
import type { AttachmentStore, Upload } from '../attachments/attachment.store.ts';
import { type Category, categoryFor } from '../categories/category.ts';
import { findCustomer } from '../customers.ts';
import type { Desk } from '../routing/ticket.desk.ts';
import type { TicketRouter } from '../routing/ticket.router.ts';
import { Visibility } from '../visibility.ts';
import type { TicketEditor } from './ticket.editor.ts';
import { Ticket } from './ticket.entity.ts';
import type { TicketCreateInput } from './ticket.inputs.ts';

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

/** Creates tickets: checks what they name, assigns an agent, and starts their routing rule (specification 2.7, 3.1). */
export class TicketCreator {
  constructor(private readonly deps: TicketCreatorDeps) {}

  /**
   * @throws ResourceNotFound for a customer or service that the organization does not have; InvalidParameters for a file that is
   * not taken, and another category's subcategory
   */
  async create({ attachments: files, ...input }: TicketCreateInput): Promise<Ticket> {
    const account = (await this.#accountOf(input)) ?? (await this.#defaultAccount());
    if (account?.customerId) input.customerId = account.customerId;
    return this.deps.attachments.holding(this.#organizationId, files, (uploads) => this.#write(input, account, uploads));
  }

  async #write(input: Omit<TicketCreateInput, 'attachments'>, account: TicketAccount | null, uploads: readonly Upload[]): Promise<Ticket> {
    const { em, clock, editor, attachments, router, request } = this.deps;
    const now = clock.now();
    const known = await this.#known(now);
    return em.transactional(async (tx) => {
      const ticket = new Ticket();
      Object.assign(ticket, input, { id: newId('ticket'), organizationId: this.#organizationId, createdAt: now, updatedAt: now });
      ticket.accountId = account?.id ?? null;
      ticket.metadata = input.metadata ?? {};
      ticket.rank(input.priority);
      const destination = { ticketId: ticket.id, commentId: null, visibility: Visibility.CUSTOMER, actor: request.principal, now };
      ticket.attachments = (await attachments.attach(tx, uploads, destination)).toReversed();
      ticket.hasAttachments = uploads.length > 0;
      // whoever else opens a ticket waits from here on until this one is committed
      const { number, changes } = await nextNumberAndChanges(tx, 'ticket_counter', this.#organizationId);
      ticket.number = `TKT-${number}`;
      const desk = changes === known.changes ? known : await this.deps.desks.refreshed(tx, this.#organizationId);
      const { category, rule } = await this.#place(tx, ticket, input, desk.data, account?.tier ?? request.principal.plan);
      await editor.open(tx, ticket, category, request.principal);
      if (rule) await router.begin(tx, ticket, rule, request.principal.plan);
      return ticket;
    });
  }

  /** Says what the ticket is about, by which rule it goes and who gets it. */
  async #place(tx: EntityManager, ticket: Ticket, input: Pick<TicketCreateInput, 'category' | 'subcategory'>, desk: Desk, tier: string) {
    const { categories, rules, agents } = desk;
    const category = categoryFor(categories, input.category ?? 'general', input.subcategory);
    ticket.category = category.id;
    const rule = this.deps.router.match(rules, ticket, tier);
    ticket.routingRuleId = rule?.id ?? null;
    // whom the rule names may be no agent any more
    const named = agents.find(({ id }) => id === rule?.actions.assignTo);
    ticket.agent = named ?? (await this.#assignee(tx, category, ticket, agents));
    ticket.agentId = ticket.agent.id;
    return { category, rule };
  }

  /** What new tickets go by. An organization's first one opens its desks. */
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

  /** That of a caller who is limited to it. @throws InvalidParameters for one who is limited to several */
  async #defaultAccount(): Promise<TicketAccount | null> {
    const { graph, request } = this.deps;
    const id = request.principal.defaultAccount('customerId');
    if (id === null) return null;
    return (await graph.query<{ account: TicketAccount | null }>(ACCOUNT, { id }, request)).account;
  }

  /**
   * The account that a ticket names by its customer or its service; null where it names none. What it names in other subgraphs
   * must exist for the caller and fit together; a service's name that is no id is taken as it is.
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
        throw new InvalidParameters([{ field: 'serviceAffected', value: serviceAffected, reason: 'is a service of another customer' }]);
      }
      account = { id: owner.id, tier: owner.tier };
    }
    return account;
  }
}

/** Of an account what a ticket is opened with. */
interface TicketAccount {
  id: string;
  tier: string | null;
  /** Where the ticket is to name it. */
  customerId?: string;
}

interface ServiceOwner {
  service: { account: Required<TicketAccount> } | null;
}
