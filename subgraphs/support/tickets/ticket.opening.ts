import { parse } from 'graphql';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { nextNumber } from '../../../kernel/records/numbers.ts';
import { existing } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { AgentAssignment } from '../agents/agent.assignment.ts';
import type { Agent } from '../agents/agent.entity.ts';
import type { AttachmentStore, Upload } from '../attachments/attachment.store.ts';
import { type Category, categoryFor } from '../categories/category.ts';
import { findCustomer } from '../customers.ts';
import type { TicketRouter } from '../routing/ticket.router.ts';
import { Visibility } from '../visibility.ts';
import type { TicketEditor } from './ticket.editor.ts';
import { Ticket } from './ticket.entity.ts';
import type { TicketCreateInput } from './ticket.inputs.ts';

const SERVICE = parse('query TicketService($id: ID!) { service(id: $id) { account { id customerId tier } } }');

export interface TicketOpeningDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  assignment: AgentAssignment;
  editor: TicketEditor;
  attachments: AttachmentStore;
  router: TicketRouter;
}

/** How a ticket comes to be: what it names is checked, somebody gets it, and its rule begins (specification 2.7, 3.1). */
export class TicketOpening {
  constructor(private readonly deps: TicketOpeningDeps) {}

  /**
   * @throws ResourceNotFound for a customer or service that the organization does not have; InvalidParameters for a file that is
   * not taken, and another category's subcategory
   */
  async open({ attachments: files, ...input }: TicketCreateInput): Promise<Ticket> {
    const account = await this.#accountOf(input);
    return this.deps.attachments.holding(this.#organizationId, files, (uploads) => this.#write(input, account, uploads));
  }

  #write(input: Omit<TicketCreateInput, 'attachments'>, account: TicketAccount | null, uploads: readonly Upload[]): Promise<Ticket> {
    const { em, clock, editor, attachments, router, request } = this.deps;
    const now = clock.now();
    return em.transactional(async (tx) => {
      const category = await categoryFor(tx, input.category ?? 'general', input.subcategory);
      const ticket = new Ticket();
      Object.assign(ticket, input, {
        id: newId('ticket'),
        organizationId: this.#organizationId,
        accountId: account?.id ?? null,
        category: category.id,
        createdAt: now,
        updatedAt: now,
      });
      ticket.metadata = input.metadata ?? {};
      ticket.rank(input.priority);
      const rule = await router.match(tx, ticket, account?.tier ?? request.principal.plan);
      ticket.routingRuleId = rule?.id ?? null;
      ticket.agent = (await router.assigneeOf(tx, rule)) ?? (await this.#assignee(tx, category, ticket, now));
      ticket.agentId = ticket.agent.id;
      const destination = { ticketId: ticket.id, commentId: null, visibility: Visibility.CUSTOMER, actor: request.principal, now };
      ticket.attachments = (await attachments.attach(tx, uploads, destination)).toReversed();
      ticket.hasAttachments = uploads.length > 0;
      // whoever else opens a ticket waits from here on until this one is committed
      ticket.number = `TKT-${await nextNumber(tx, 'ticket_counter', this.#organizationId)}`;
      await editor.open(tx, ticket, category, request.principal);
      if (rule) await router.begin(tx, ticket, rule, request.principal.plan);
      return ticket;
    });
  }

  get #organizationId(): string {
    return this.deps.request.principal.organizationId;
  }

  #assignee(tx: EntityManager, category: Category, { subcategory }: Ticket, now: Date): Promise<Agent> {
    const { assignment } = this.deps;
    return category.isAssigned(subcategory) ? assignment.leastBusy(tx, category.id, now) : assignment.desk(tx, category.id, now);
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
      const owner = existing(service, 'service', serviceAffected).account;
      if (customerId && owner.customerId !== customerId) {
        throw new InvalidParameters([{ field: 'serviceAffected', value: serviceAffected, reason: 'is a service of another customer' }]);
      }
      account = owner;
    }
    return account;
  }
}

/** Of an account what a ticket is opened with. */
interface TicketAccount {
  id: string;
  tier: string | null;
}

interface ServiceOwner {
  service: { account: TicketAccount & { customerId: string } } | null;
}
