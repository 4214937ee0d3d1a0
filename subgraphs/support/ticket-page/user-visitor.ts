import type { Principal } from '../../../kernel/access/principal.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { Attachment } from '../attachments/attachment.entity.ts';
import type { SupportContext } from '../context.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { attachmentOf, type TicketView, type Visitor, viewOf } from './ticket-view.ts';

export interface UserVisit {
  principal: Principal;
  context: SupportContext;
  em: EntityManager;
  ticketId: string;
}

/** A signed-in user who opened the page of a ticket. The user has the same permissions as in the API. */
export class UserVisitor implements Visitor {
  readonly isSignedIn = true;
  readonly who = 'yourself';

  constructor(private readonly visit: UserVisit) {}

  get mayReply(): boolean {
    return this.visit.principal.may('support:create');
  }

  /** Returns whether the ticket exists and the user may read it. */
  async maySee(): Promise<boolean> {
    return this.visit.principal.may('support:read') && (await this.#ticket()) !== null;
  }

  async view(before?: string): Promise<TicketView> {
    return viewOf(this.visit.em, orNotFound(await this.#ticket(), 'ticket', this.visit.ticketId), before);
  }

  attachment(id: string): Promise<Attachment | null> {
    return attachmentOf(this.visit.em, this.visit.ticketId, id);
  }

  /** Adds a reply as the user. @throws ResourceNotFound, InsufficientPermissions */
  async reply(content: string): Promise<void> {
    const { principal, context, ticketId } = this.visit;
    principal.require('support:create');
    await context.comments.add(ticketId, { content });
  }

  #ticket(): Promise<Ticket | null> {
    const { context, ticketId } = this.visit;
    return context.loaders.tickets.load(ticketId);
  }
}
