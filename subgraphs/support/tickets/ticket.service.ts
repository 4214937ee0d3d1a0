import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { definedOnly, orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Agent } from '../agents/agent.entity.ts';
import type { CommentAuthor } from '../comment-author.ts';
import type { CommentAuthors } from '../comments/comment-authors.ts';
import type { CommentWriter, Draft } from '../comments/comment-writer.ts';
import { shownTo, Visibility } from '../visibility.ts';
import type { Ticket } from './ticket.entity.ts';
import type { TicketCreateInput, TicketUpdateInput } from './ticket.inputs.ts';
import { TicketChange } from './ticket-change.entity.ts';
import type { CreationSteps, TicketCreator } from './ticket-creator.ts';
import type { TicketEditor } from './ticket-editor.ts';

export interface TicketServiceDeps {
  em: EntityManager;
  request: RequestContext;
  editor: TicketEditor;
  authors: CommentAuthors;
  comments: CommentWriter;
  creator: TicketCreator;
  loader: RecordLoader<Ticket>;
}

/** Creates, changes and reads tickets of the caller's organization (specification 2.7, 3.1, 4.7). */
export class TicketService {
  constructor(private readonly deps: TicketServiceDeps) {}

  create(input: TicketCreateInput): Promise<Ticket> {
    return this.deps.creator.create(input);
  }

  /** Creates a ticket unless `claim` of the steps returns false; then it returns null. */
  createOnce(input: TicketCreateInput, steps: CreationSteps): Promise<Ticket | null> {
    return this.deps.creator.createOnce(input, steps);
  }

  /**
   * Lists the changes of a ticket, newest first. Internal changes are returned only to support staff.
   * @throws ResourceNotFound
   */
  async timeline(id: string, page: PageInput): Promise<Page<TicketChange>> {
    const { em, loader, request } = this.deps;
    orNotFound(await loader.load(id), 'ticket', id);
    return listPage(em, TicketChange, { where: { ticketId: id, ...shownTo(request.principal) }, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Updates a ticket. `expected` is the revision that the caller has seen.
   * @throws ResourceNotFound, InvalidState, StaleResource
   * @throws InvalidParameters for an inactive agent
   */
  async update(
    id: string,
    { status, priority, assignedTo, waitingOnCustomer, internalNotes, ...input }: TicketUpdateInput,
    expected?: number | null,
  ): Promise<Ticket> {
    const { em, editor, request, authors, comments } = this.deps;
    const { customerUpdate } = input;
    const author = internalNotes || customerUpdate ? await authors.of() : undefined;
    return em.transactional((tx) =>
      editor.change(tx, id, request.principal, async (ticket, now) => {
        requireRevision(ticket, expected);
        if (assignedTo) ticket.agentId = (await this.#agent(tx, assignedTo)).id;
        const move = (): void => {
          if (status && status !== ticket.status) ticket.moveTo(status, now);
        };
        // a resolved ticket cannot be escalated, so it is reopened before its priority is set
        if (ticket.resolvedAt) move();
        if (priority) ticket.prioritize(priority, now);
        move();
        if (waitingOnCustomer === true) ticket.waitOnCustomer(now);
        if (waitingOnCustomer === false) ticket.resume();
        const news = customerUpdate === ticket.customerUpdate ? null : customerUpdate;
        Object.assign(ticket, definedOnly(input));
        if (!author) return;
        const drafts = draftsOf(author, internalNotes, news);
        for (const draft of drafts) await comments.append(tx, ticket, draft, request.principal, now);
      }),
    );
  }

  async #agent(tx: EntityManager, id: string): Promise<Agent> {
    const agent = orNotFound(await tx.findOne(Agent, { id }), 'agent', id);
    if (!agent.active) {
      const reason = 'is an inactive agent; assign the ticket to another agent';
      throw new InvalidParameters([{ field: 'assignedTo', value: id, reason }]);
    }
    return agent;
  }
}

/**
 * Returns the comments that an update creates: an internal comment for support staff, and a public comment for the
 * customer.
 */
function draftsOf(author: CommentAuthor, note: string | null | undefined, news: string | null | undefined): Draft[] {
  return [
    ...(note ? [{ author, content: note, type: 'internal_note', visibility: Visibility.INTERNAL }] : []),
    ...(news ? [{ author, content: news, type: 'customer_update', visibility: Visibility.CUSTOMER }] : []),
  ];
}
