import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ReadsFields } from '../../../kernel/graphql/selected-fields.ts';
import type { SupportContext } from '../context.ts';
import { Article } from '../knowledge/article.entity.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { Feedback } from './feedback.entity.ts';
import { FeedbackFilter, FeedbackInput, FeedbackSort } from './feedback.inputs.ts';

const FeedbackPage = pageOf('Feedback', Feedback);

@Resolver(() => Feedback)
export class FeedbackResolver {
  @Query(() => FeedbackPage, { description: 'List ratings, newest first.' })
  @Requires('support:read')
  feedback(
    @Arg('filter', () => FeedbackFilter, { nullable: true }) filter: FeedbackFilter | undefined,
    @Arg('sort', () => [FeedbackSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { feedback }: SupportContext,
  ): Promise<Page<Feedback>> {
    return feedback.list(filter ?? {}, sort ?? [], page ?? {});
  }

  @Mutation(() => Feedback, {
    description:
      'Rate a resolved ticket, an article, or the platform. A ticket has one rating, and an article has one rating per reader. A second rating replaces the first. Fails with INVALID_STATE if the support desk tries to change the rating of somebody else.',
  })
  @Requires('support:create')
  submitFeedback(
    @Arg('input', () => FeedbackInput, { description: 'Rating and what it is about.' }) input: FeedbackInput,
    @Ctx() { feedback }: SupportContext,
  ): Promise<Feedback> {
    return feedback.submit(input);
  }

  @FieldResolver(() => Ticket, { nullable: true, description: 'Ticket that was rated. Null if something else was rated.' })
  @Requires('support:read')
  async ticket(@Root() { ticketId }: Feedback, @Ctx() { loaders }: SupportContext): Promise<Ticket | null> {
    return ticketId ? loaders.tickets.load(ticketId) : null;
  }

  @FieldResolver(() => Article, { nullable: true, description: 'Article that was rated. Null if something else was rated.' })
  @Requires('support:read')
  async article(@Root() { articleId }: Feedback, @Ctx() { articleLoader }: SupportContext): Promise<Article | null> {
    return articleId ? articleLoader.load(articleId) : null;
  }
}

@Resolver(() => Ticket)
export class TicketFeedbackResolver {
  @FieldResolver(() => Feedback, { nullable: true, description: 'Rating of the work on the ticket. Null if nobody rated it.' })
  @ReadsFields('id')
  async feedback(@Root() { id }: Pick<Ticket, 'id'>, @Ctx() { loaders }: SupportContext): Promise<Feedback | null> {
    const [rating] = await loaders.feedback.newest('ticketId', id, 1);
    return rating ?? null;
  }
}
