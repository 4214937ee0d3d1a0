import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import type { BillingContext } from '../context.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { Account, billedService, Service } from '../references.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { nextDateOf } from './subscription.events.ts';
import { BillingSubscriptionFilter, RecurringBillingInput, SubscriptionUpdateInput } from './subscription.inputs.ts';
import { CancelAt, ItemState, SubscriptionKind, SubscriptionStatus } from './subscription.states.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';
import { InvoicePreview } from './subscription-preview.ts';

const BillingSubscriptionPage = pageOf('BillingSubscription', BillingSubscription);
/** Maximum number of items of an automatic subscription in a response. */
const ITEMS_MAX = 1000;
const LIVE = [ItemState.PLANNED, ItemState.ACTIVE];

/**
 * Returns the items of a subscription. For an automatic subscription, it returns only live items, because the number of ended items is not
 * limited.
 */
async function itemsOf({ id, kind }: BillingSubscription, { loaders }: BillingContext): Promise<SubscriptionItem[]> {
  if (kind === SubscriptionKind.AGREED) return loaders.subscriptionItems.of('subscriptionId', id, 'createdAt', 'id');
  return loaders.subscriptionItems.newest('subscriptionId', id, ITEMS_MAX, { state: LIVE });
}

@Resolver(() => BillingSubscription)
export class SubscriptionResolver {
  @Query(() => BillingSubscription, { nullable: true, description: 'Get a subscription by id. Null if it does not exist.' })
  @Requires('billing:read')
  subscription(@Arg('id', () => ID) id: string, @Ctx() { subscriptions }: BillingContext): Promise<BillingSubscription | null> {
    return subscriptions.find(id);
  }

  @Query(() => BillingSubscriptionPage, { description: 'List subscriptions, newest first.' })
  @Requires('billing:read')
  subscriptions(
    @Arg('filter', () => BillingSubscriptionFilter, { nullable: true }) filter: BillingSubscriptionFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { subscriptions }: BillingContext,
  ): Promise<Page<BillingSubscription>> {
    return subscriptions.list(filter ?? {}, page ?? {});
  }

  @Query(() => [InvoicePreview], {
    description: 'Get the invoices that the platform would issue for the subscriptions of an account. Nothing is stored.',
  })
  // the account is read with the caller's accounts, so that others are not found
  @Requires('billing:read', { scope: 'open' })
  invoicePreview(
    @Arg('accountId', () => ID, { description: 'Account that is billed (`acc_…`).' }) accountId: string,
    @Arg('at', () => Date, {
      nullable: true,
      description: 'Invoices until this time, at most 400 days ahead. Default: the next invoices.',
    })
    at: Date | undefined,
    @Ctx() { subscriptions }: BillingContext,
  ): Promise<InvoicePreview[]> {
    return subscriptions.preview(accountId, at ?? null);
  }

  @Query(() => [InvoicePreview], {
    description: 'Get the next invoices of the account after a change of a subscription. The change is not made.',
  })
  // the account is read with the caller's accounts, so that others are not found
  @Requires('billing:read', { scope: 'open' })
  subscriptionChangePreview(
    @Arg('id', () => ID, { description: 'Id of the subscription (`sub_…`).' }) id: string,
    @Arg('input', () => SubscriptionUpdateInput, { description: 'The change.' }) input: SubscriptionUpdateInput,
    @Ctx() { subscriptions }: BillingContext,
  ): Promise<InvoicePreview[]> {
    return subscriptions.previewChange(id, input);
  }

  @Mutation(() => BillingSubscription, {
    description:
      'Bill services of an account regularly. Each service has its own billing cycle. If a service was already billed for a time after the start of the subscription, that part is credited. When the subscription ends, the automatic subscription of the account bills the services again.',
  })
  @Requires('billing:create', { secondFactor: true })
  createRecurringBilling(
    @Arg('input', () => RecurringBillingInput, { description: 'Services to bill.' }) input: RecurringBillingInput,
    @Ctx() { subscriptions }: BillingContext,
  ): Promise<BillingSubscription> {
    return subscriptions.create(input);
  }

  @Mutation(() => BillingSubscription, {
    description: 'Change the terms of a subscription, or undo a cancellation that has not taken effect.',
  })
  @Requires('billing:write', { secondFactor: true })
  updateSubscription(
    @Arg('id', () => ID, { description: 'Id of the subscription (`sub_…`).' }) id: string,
    @Arg('input', () => SubscriptionUpdateInput, { description: 'New values. Omit a field to keep its value.' })
    input: SubscriptionUpdateInput,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { subscriptions }: BillingContext,
  ): Promise<BillingSubscription> {
    return subscriptions.update(id, input, expectedRevision);
  }

  @Mutation(() => BillingSubscription, {
    description:
      'Cancel a subscription. Its services continue. The automatic subscription of the account bills them from that time on. An automatic subscription cannot be cancelled.',
  })
  @Requires('billing:write', { secondFactor: true })
  cancelSubscription(
    @Arg('id', () => ID, { description: 'Id of the subscription (`sub_…`).' }) id: string,
    @Arg('at', () => CancelAt, { defaultValue: CancelAt.PERIOD_END, description: 'When the subscription ends. Default: `PERIOD_END`.' })
    at: CancelAt,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { subscriptions }: BillingContext,
  ): Promise<BillingSubscription> {
    return subscriptions.cancel(id, at, null, expectedRevision);
  }

  @FieldResolver(() => [SubscriptionItem], {
    description: `Services that the subscription bills, and how. For an automatic subscription: the newest ${ITEMS_MAX} services that are in service.`,
  })
  items(@Root() subscription: BillingSubscription, @Ctx() context: BillingContext): Promise<SubscriptionItem[]> {
    return itemsOf(subscription, context);
  }

  @FieldResolver(() => Date, { nullable: true, description: 'When the next period is billed. Null if there is none.' })
  async nextInvoiceDate(@Root() subscription: BillingSubscription, @Ctx() context: BillingContext): Promise<Date | null> {
    if (subscription.status === SubscriptionStatus.CANCELLED) return null;
    const items = await itemsOf(subscription, context);
    const isWhole = subscription.kind === SubscriptionKind.AGREED || items.length < ITEMS_MAX;
    return isWhole ? nextDateOf(items) : context.nextDates.load(subscription.id);
  }

  @FieldResolver(() => Account, { nullable: true, description: 'Account that is billed. Null if it no longer exists.' })
  account(@Root() { accountId }: BillingSubscription): Account {
    return { id: accountId };
  }
}

@Resolver(() => SubscriptionItem)
export class SubscriptionItemResolver {
  @FieldResolver(() => Service, {
    nullable: true,
    description: 'Service that is billed. Null if there is none, or if it no longer exists.',
  })
  service(@Root() { serviceId }: SubscriptionItem): Service | null {
    return billedService(serviceId);
  }
}

@Resolver(() => Account)
export class AccountSubscriptionsResolver {
  @FieldResolver(() => [BillingSubscription], { description: 'Newest subscriptions of the account.' })
  @Requires('billing:read')
  subscriptions(
    @Root() { id }: Account,
    @Arg('status', () => [SubscriptionStatus], { nullable: true, description: 'Only subscriptions in these states.' })
    status: SubscriptionStatus[] | undefined,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: BillingContext,
  ): Promise<BillingSubscription[]> {
    return loaders.subscriptions.newest('accountId', id, relationLimit(limit), status ? { status } : undefined);
  }
}

@Resolver(() => Service)
export class ServiceSubscriptionResolver {
  @FieldResolver(() => BillingSubscription, {
    nullable: true,
    description: 'Subscription that bills the service. Null if it is not in service.',
  })
  @Requires('billing:read')
  async billedBy(@Root() { id }: Service, @Ctx() { loaders }: BillingContext): Promise<BillingSubscription | null> {
    const [item] = await loaders.subscriptionItems.newest('serviceId', id, 1, { state: ItemState.ACTIVE });
    return item ? loaders.subscriptions.load(item.subscriptionId) : null;
  }
}

@Resolver(() => Invoice)
export class InvoiceSubscriptionResolver {
  @FieldResolver(() => BillingSubscription, {
    nullable: true,
    description: 'Subscription that the invoice bills. Null if it bills none.',
  })
  async subscription(@Root() { subscriptionId }: Invoice, @Ctx() { loaders }: BillingContext): Promise<BillingSubscription | null> {
    return subscriptionId ? loaders.subscriptions.load(subscriptionId) : null;
  }
}
