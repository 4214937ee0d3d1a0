import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ReadsFields } from '../../../kernel/graphql/selected-fields.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import { Attachment } from '../attachments/attachment.entity.ts';
import type { SupportContext } from '../context.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { shownTo } from '../visibility.ts';
import { Comment } from './comment.entity.ts';
import { CommentCreateInput } from './comment.inputs.ts';
import { isInternal } from './comment.service.ts';
import { isOwn } from './comment-authors.ts';

/**
 * Checks that the caller has the permission `support:write`, which is required for internal comments and for comments
 * whose author is not the caller.
 */
const requireToWrite = ({ input }: { input: CommentCreateInput }, { principal }: SupportContext): void => {
  const { type, visibility, author } = input;
  if (isInternal(type, visibility) || (author && !isOwn(author, principal))) principal.require('support:write');
};

const CommentPage = pageOf('Comment', Comment);

@Resolver(() => Comment)
export class CommentResolver {
  @Query(() => Comment, {
    nullable: true,
    description: 'Get a comment by id. Null if it does not exist, or it is internal and the caller lacks `support:write`.',
  })
  @Requires('support:read')
  comment(@Arg('id', () => ID) id: string, @Ctx() { comments }: SupportContext): Promise<Comment | null> {
    return comments.find(id);
  }

  @Query(() => CommentPage, {
    description: 'List the comments of a ticket, newest first. Internal comments are included for callers with `support:write`.',
  })
  @Requires('support:read')
  ticketComments(
    @Arg('ticketId', () => ID, { description: 'Id of the ticket (`ticket_…`).' }) ticketId: string,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { comments }: SupportContext,
  ): Promise<Page<Comment>> {
    return comments.list(ticketId, page ?? {});
  }

  @Mutation(() => Comment, {
    description:
      'Add a comment to a ticket. The first public comment of the support desk counts as the first response. A comment of the customer reopens a resolved ticket.',
  })
  @Requires('support:create', { also: requireToWrite })
  addTicketComment(
    @Arg('ticketId', () => ID, { description: 'Id of the ticket (`ticket_…`).' }) ticketId: string,
    @Arg('input', () => CommentCreateInput, { description: 'Comment to add.' }) input: CommentCreateInput,
    @Ctx() { comments }: SupportContext,
  ): Promise<Comment> {
    return comments.add(ticketId, input);
  }

  @FieldResolver(() => [Attachment], { description: 'Files that were sent with the comment.' })
  attachments(@Root() { id }: Comment, @Ctx() { loaders }: SupportContext): Promise<Attachment[]> {
    return loaders.attachments.of('commentId', id);
  }
}

@Resolver(() => Ticket)
export class TicketCommentsResolver {
  @FieldResolver(() => [Comment], { description: 'Newest comments. Internal comments are included for callers with `support:write`.' })
  @ReadsFields('id')
  comments(
    @Root() { id }: Pick<Ticket, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders, principal }: SupportContext,
  ): Promise<Comment[]> {
    return loaders.comments.newest('ticketId', id, relationLimit(limit), shownTo(principal));
  }
}
