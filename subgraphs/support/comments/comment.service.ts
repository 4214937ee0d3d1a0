import type { Principal } from '../../../kernel/access/principal.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { AttachmentStore } from '../attachments/attachment.store.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { mayRead, shownTo, Visibility } from '../visibility.ts';
import { Comment, INTERNAL_NOTE } from './comment.entity.ts';
import type { CommentCreateInput } from './comment.inputs.ts';
import type { CommentAuthors } from './comment-authors.ts';
import type { CommentWriter } from './comment-writer.ts';

export interface CommentServiceDeps {
  em: EntityManager;
  principal: Principal;
  authors: CommentAuthors;
  attachments: AttachmentStore;
  writer: CommentWriter;
  tickets: RecordLoader<Ticket>;
  loader: RecordLoader<Comment>;
}

/**
 * Creates and reads comments on tickets of the caller's organization (specification 2.7, 4.7). Only support staff can
 * read internal comments.
 */
export class CommentService {
  constructor(private readonly deps: CommentServiceDeps) {}

  /**
   * Adds a comment.
   * @throws ResourceNotFound for the ticket or the author
   * @throws InsufficientPermissions, InvalidParameters
   */
  async add(
    ticketId: string,
    { attachments: files, author: stated, type, visibility, content, metadata }: CommentCreateInput,
  ): Promise<Comment> {
    const { em, principal, authors, attachments, writer } = this.deps;
    const kind = kindOf(type, visibility);
    if (kind.visibility === Visibility.INTERNAL) principal.require('support:write');
    await this.#ticket(ticketId);
    const author = await authors.of(stated);
    const said = { content, metadata: metadata ?? {}, author, ...kind };
    return attachments.holding(principal.organizationId, files, (uploads) =>
      em.transactional((tx) => writer.add(tx, ticketId, { ...said, uploads }, principal)),
    );
  }

  /**
   * Returns a comment; null if the comment does not exist in the caller's organization, or is internal and the caller
   * may not read it.
   */
  async find(id: string): Promise<Comment | null> {
    const { loader, principal } = this.deps;
    const comment = await loader.load(id);
    return comment && mayRead(principal, comment.visibility) ? comment : null;
  }

  /** Lists the comments on a ticket, newest first. @throws ResourceNotFound if the caller cannot read the ticket */
  async list(ticketId: string, page: PageInput): Promise<Page<Comment>> {
    const { em, principal } = this.deps;
    await this.#ticket(ticketId);
    return listPage(em, Comment, { where: { ticketId, ...shownTo(principal) }, page, defaultSort: NEWEST_FIRST });
  }

  async #ticket(id: string): Promise<void> {
    orNotFound(await this.deps.tickets.load(id), 'ticket', id);
  }
}

export const isInternal = (type: string | null | undefined, visibility: Visibility | null | undefined): boolean =>
  (visibility ?? (type === INTERNAL_NOTE ? Visibility.INTERNAL : Visibility.CUSTOMER)) === Visibility.INTERNAL;

/** Returns the type and visibility of a comment. If one of them is missing, derives it from the other. */
function kindOf(type: string | null | undefined, visibility: Visibility | null | undefined): { type: string; visibility: Visibility } {
  const shown = isInternal(type, visibility) ? Visibility.INTERNAL : Visibility.CUSTOMER;
  return { type: type ?? (shown === Visibility.INTERNAL ? INTERNAL_NOTE : 'reply'), visibility: shown };
}
