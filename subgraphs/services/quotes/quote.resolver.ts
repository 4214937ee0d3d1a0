import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { Account } from '../references.ts';
import { Quote } from './quote.entity.ts';
import { FiberQuoteInput, QuoteFilter, QuoteInput } from './quote.inputs.ts';
import { QuoteStatus } from './quote.states.ts';
import { QuoteLine } from './quote-line.entity.ts';

const QuotePage = pageOf('Quote', Quote);

@Resolver(() => Quote)
export class QuoteResolver {
  @Query(() => Quote, { nullable: true, description: 'Get a quote by id. Null if it does not exist.' })
  @Requires('services:read')
  quote(@Arg('id', () => ID) id: string, @Ctx() { loaders }: ServicesContext): Promise<Quote | null> {
    return loaders.quotes.load(id);
  }

  @Query(() => QuotePage, { description: 'List quotes, newest first.' })
  @Requires('services:read')
  quotes(
    @Arg('filter', () => QuoteFilter, { nullable: true }) filter: QuoteFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { quotes }: ServicesContext,
  ): Promise<Page<Quote>> {
    return quotes.list(filter ?? {}, page ?? {});
  }

  @Mutation(() => Quote, {
    description: 'Quote the prices of services. A line that cannot be ordered contains the error that an order would return.',
  })
  @Requires('services:create')
  createQuote(
    @Arg('input', () => QuoteInput, { description: 'Services whose prices are quoted.' }) input: QuoteInput,
    @Ctx() { quotes }: ServicesContext,
  ): Promise<Quote> {
    return quotes.create(input);
  }

  @Mutation(() => Quote, { description: 'Quote the price of one fiber line. Fails if the line cannot be ordered.' })
  @Requires('services:create')
  createFiberQuote(
    @Arg('input', () => FiberQuoteInput, { description: 'Fiber line whose price is quoted.' }) input: FiberQuoteInput,
    @Ctx() { quotes }: ServicesContext,
  ): Promise<Quote> {
    return quotes.createForFiber(input);
  }

  @Mutation(() => Quote, {
    description: 'Reject a quote, so that it can no longer be ordered. Fails with INVALID_STATE if it is accepted, rejected or expired.',
  })
  @Requires('services:create')
  rejectQuote(@Arg('id', () => ID) id: string, @Ctx() { quotes }: ServicesContext): Promise<Quote> {
    return quotes.reject(id);
  }

  @FieldResolver(() => QuoteStatus, { description: 'Current state of the quote.' })
  status(@Root() quote: Quote, @Ctx() { clock }: ServicesContext): QuoteStatus {
    return quote.statusAt(clock.now());
  }

  @FieldResolver(() => [QuoteLine], { description: 'Services of the quote, in the order of the request.' })
  lines(@Root() { id }: Quote, @Ctx() { loaders }: ServicesContext): Promise<QuoteLine[]> {
    return loaders.quoteLines.of('quoteId', id, 'position');
  }

  @FieldResolver(() => Account, { description: 'Account that the quote is for.' })
  account(@Root() { accountId }: Quote): Account {
    return { id: accountId };
  }
}

@Resolver(() => QuoteLine)
export class QuoteLineResolver {
  @FieldResolver(() => Service, { nullable: true, description: 'Service that was ordered with this line. Null until then.' })
  @Requires('services:read')
  async service(@Root() { serviceId }: QuoteLine, @Ctx() { loaders }: ServicesContext): Promise<Service | null> {
    return serviceId === null ? null : loaders.services.load(serviceId);
  }
}

@Resolver(() => Service)
export class ServiceQuoteResolver {
  @FieldResolver(() => Quote, { nullable: true, description: 'Quote whose prices the order used. Null if there was none.' })
  @Requires('services:read')
  async quote(@Root() { quoteId }: Service, @Ctx() { loaders }: ServicesContext): Promise<Quote | null> {
    return quoteId === null ? null : loaders.quotes.load(quoteId);
  }
}
