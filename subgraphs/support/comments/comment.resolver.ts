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

/** Requires `support:write` for internal comments and for comments in another name. */
const requireToWrite = ({ input }: { input: CommentCreateInput }, { principal }: SupportContext): void => {
  const { type, visibility, author } = input;
  if (isInternal(type, visibility) || (author && !isOwn(author, principal))) principal.require('support:write');
};

const CommentPage = pageOf('Comment', Comment);

@Resolver(() => Comment)
export class CommentResolver {
  @Query(() => Comment, { nullable: true, description: 'Null for an internal one where the caller lacks `support:write`.' })
  @Requires('support:read')
  comment(@Arg('id', () => ID) id: string, @Ctx() { comments }: SupportContext): Promise<Comment | null> {
    return comments.find(id);
  }

  @Query(() => CommentPage, {
    description: 'What was said about a ticket, newest first; internal comments for holders of `support:write`.',
  })
  @Requires('support:read')
  ticketComments(
    @Arg('ticketId', () => ID) ticketId: string,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { comments }: SupportContext,
  ): Promise<Page<Comment>> {
    return comments.list(ticketId, page ?? {});
  }

  @Mutation(() => Comment, {
    description:
      'Adds a comment, which never changes. The first one of the desk that the customer sees answers the ticket; one of the customer reopens a resolved ticket.',
  })
  @Requires('support:create', { also: requireToWrite })
  addTicketComment(
    @Arg('ticketId', () => ID) ticketId: string,
    @Arg('input', () => CommentCreateInput) input: CommentCreateInput,
    @Ctx() { comments }: SupportContext,
  ): Promise<Comment> {
    return comments.add(ticketId, input);
  }

  @FieldResolver(() => [Attachment])
  attachments(@Root() { id }: Comment, @Ctx() { loaders }: SupportContext): Promise<Attachment[]> {
    return loaders.attachments.of('commentId', id);
  }
}

@Resolver(() => Ticket)
export class TicketCommentsResolver {
  @FieldResolver(() => [Comment], { description: 'The newest comments; internal ones for holders of `support:write`.' })
  @ReadsFields('id')
  comments(
    @Root() { id }: Pick<Ticket, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders, principal }: SupportContext,
  ): Promise<Comment[]> {
    return loaders.comments.newest('ticketId', id, relationLimit(limit), shownTo(principal));
  }
}
