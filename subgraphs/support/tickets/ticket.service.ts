import type { FilterQuery } from '@mikro-orm/core';
import { parse } from 'graphql';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database.ts';
import { InvalidParameters, ResourceNotFound } from '../../../kernel/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/ids.ts';
import type { RecordLoader } from '../../../kernel/loaders.ts';
import { nextNumber } from '../../../kernel/numbers.ts';
import { listPage } from '../../../kernel/pagination.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Agent } from '../agents/agent.entity.ts';
import type { AgentService } from '../agents/agent.service.ts';
import type { AttachmentStore, Upload } from '../attachments/attachment.store.ts';
import type { CommentAuthors } from '../comments/comment.authors.ts';
import type { CommentAuthor } from '../comments/comment.values.ts';
import type { CommentWriter, Draft } from '../comments/comment.writer.ts';
import type { TicketRouter } from '../routing/ticket.router.ts';
import { Visibility } from '../visibility.ts';
import type { TicketEditor } from './ticket.editor.ts';
import { Ticket } from './ticket.entity.ts';
import type { TicketCreateInput, TicketFilter, TicketUpdateInput } from './ticket.inputs.ts';

const CUSTOMER = parse(
  'query TicketCustomer($id: ID!) { accounts(filter: { customerId: [$id] }, page: { limit: 1 }) { nodes { id tier } } }',
);
const SERVICE = parse('query TicketService($id: ID!) { service(id: $id) { account { id customerId tier } } }');

export interface TicketServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  agents: AgentService;
  editor: TicketEditor;
  router: TicketRouter;
  attachments: AttachmentStore;
  authors: CommentAuthors;
  comments: CommentWriter;
  loader: RecordLoader<Ticket>;
}

/** Tickets of the caller's organization (specification 2.7, 3.1, 4.7). */
export class TicketService {
  constructor(private readonly deps: TicketServiceDeps) {}

  /** @throws ResourceNotFound for a customer or service that the organization does not have; InvalidParameters for a file that is not taken */
  async create({ attachments: files, ...input }: TicketCreateInput): Promise<Ticket> {
    const account = await this.#accountOf(input);
    return this.deps.attachments.holding(this.#organizationId, files, (uploads) => this.#open(input, account, uploads));
  }

  #open(input: Omit<TicketCreateInput, 'attachments'>, account: TicketAccount | null, uploads: readonly Upload[]): Promise<Ticket> {
    const { em, clock, agents, editor, router, attachments, request } = this.deps;
    const { principal } = request;
    const now = clock.now();
    return em.transactional(async (tx) => {
      const category = input.category ?? 'general';
      const ticket = new Ticket();
      Object.assign(ticket, input, {
        id: newId('ticket'),
        organizationId: this.#organizationId,
        accountId: account?.id ?? null,
        category,
        createdAt: now,
        updatedAt: now,
      });
      ticket.metadata = input.metadata ?? {};
      ticket.prioritize(input.priority);
      const rule = await router.match(tx, ticket, account?.tier ?? principal.plan);
      ticket.routingRuleId = rule?.id ?? null;
      ticket.agentId = ((await router.assigneeOf(tx, rule)) ?? (await agents.leastBusy(tx, category, now))).id;
      ticket.number = `TKT-${await nextNumber(tx, 'ticket_counter', this.#organizationId)}`;
      const destination = { ticketId: ticket.id, commentId: null, visibility: Visibility.CUSTOMER, actor: principal, now };
      await attachments.attach(tx, uploads, destination);
      await editor.open(tx, ticket, principal);
      if (rule) await router.begin(tx, ticket, rule, principal.plan);
      return ticket;
    });
  }

  /** Null where the caller's organization has none such: another organization's ticket reads as absent. */
  find(id: string): Promise<Ticket | null> {
    return this.deps.loader.load(id);
  }

  list(filter: TicketFilter, sort: SortBy[], page: PageInput): Promise<Page<Ticket>> {
    return listPage(this.deps.em, Ticket, { where: whereOf(filter), sort, page, defaultSort: NEWEST_FIRST });
  }

  /** @throws ResourceNotFound, InvalidState */
  async update(id: string, { status, priority, assignedTo, internalNotes, ...input }: TicketUpdateInput): Promise<Ticket> {
    const { em, editor, request, authors, comments } = this.deps;
    const { customerUpdate } = input;
    const author = internalNotes || customerUpdate ? await authors.of() : undefined;
    return em.transactional((tx) =>
      editor.change(tx, id, request.principal, async (ticket, now) => {
        if (assignedTo) ticket.agentId = (await this.#agent(tx, assignedTo)).id;
        if (priority) ticket.prioritize(priority);
        if (status && status !== ticket.status) ticket.moveTo(status, now);
        const news = customerUpdate === ticket.customerUpdate ? null : customerUpdate;
        for (const [name, value] of Object.entries(input)) if (value !== undefined) Object.assign(ticket, { [name]: value });
        if (!author) return;
        const drafts = draftsOf(author, internalNotes, news);
        for (const draft of drafts) await comments.append(tx, ticket, draft, request.principal, now);
      }),
    );
  }

  get #organizationId(): string {
    return this.deps.request.principal.organizationId;
  }

  async #agent(tx: EntityManager, id: string): Promise<Agent> {
    const agent = await tx.findOne(Agent, { id });
    if (!agent) throw new ResourceNotFound('agent', id);
    return agent;
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
    let account: TicketAccount | null = null;
    if (customerId) {
      const { accounts } = await graph.query<{ accounts: { nodes: TicketAccount[] } }>(CUSTOMER, { id: customerId }, request);
      if (!accounts.nodes[0]) throw new ResourceNotFound('customer', customerId);
      account = accounts.nodes[0];
    }
    if (serviceAffected?.startsWith('svc_')) {
      const { service } = await graph.query<ServiceOwner>(SERVICE, { id: serviceAffected }, request);
      if (!service) throw new ResourceNotFound('service', serviceAffected);
      if (customerId && service.account.customerId !== customerId) {
        throw new InvalidParameters([{ field: 'serviceAffected', value: serviceAffected, reason: 'is a service of another customer' }]);
      }
      account = service.account;
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

/** What of a change is said: to the desk, and to the customer. */
function draftsOf(author: CommentAuthor, note: string | null | undefined, news: string | null | undefined): Draft[] {
  return [
    ...(note ? [{ author, content: note, type: 'internal_note', visibility: Visibility.INTERNAL }] : []),
    ...(news ? [{ author, content: news, type: 'customer_update', visibility: Visibility.CUSTOMER }] : []),
  ];
}

function whereOf({
  status,
  priority,
  customerId,
  category,
  assignedTo,
  serviceAffected,
  createdAfter,
  createdBefore,
}: TicketFilter): FilterQuery<Ticket> {
  return {
    ...(status && { status: { $in: status } }),
    ...(priority && { priority: { $in: priority } }),
    ...(customerId && { customerId: { $in: customerId } }),
    ...(category && { category: { $in: category } }),
    ...(assignedTo && { agentId: { $in: assignedTo } }),
    ...(serviceAffected && { serviceAffected: { $in: serviceAffected } }),
    ...((createdAfter || createdBefore) && {
      createdAt: { ...(createdAfter && { $gte: createdAfter }), ...(createdBefore && { $lt: createdBefore }) },
    }),
  };
}
