import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import { BillingAccount } from '../accounts/billing-account.entity.ts';
import { Dunning } from '../collection/dunning.entity.ts';
import type { BillingContext } from '../context.ts';
import { PaymentMethod } from '../payments/payment-method.entity.ts';
import { PaymentMethodStatus } from '../payments/payment-method.states.ts';
import { PaymentMethodInput } from '../payments/payment-method.values.ts';
import { Account } from '../references.ts';
import { Balance, NextInvoice } from './billing-account.types.ts';
import { BillingPreferencesUpdateInput } from './preferences.inputs.ts';

const MAX_METHODS = 100;
const ACCOUNT_ID = 'Id of the account (`acc_…`).';

@Resolver(() => BillingAccount)
export class BillingAccountResolver {
  @Query(() => BillingAccount, {
    nullable: true,
    description: 'Get the balances and billing preferences of an account. Null if the account does not exist.',
  })
  @Requires('billing:read')
  billingAccount(
    @Arg('accountId', () => ID, { description: ACCOUNT_ID }) accountId: string,
    @Ctx() { billingAccounts }: BillingContext,
  ): Promise<BillingAccount | null> {
    return billingAccounts.find(accountId);
  }

  @Mutation(() => BillingAccount, {
    description:
      'Change the billing preferences of an account. If you set a payment method, you allow the platform to charge it for later invoices while `autoPay` is true.',
  })
  @Requires('billing:write', { secondFactor: true })
  updateBillingPreferences(
    @Arg('accountId', () => ID, { description: ACCOUNT_ID }) accountId: string,
    @Arg('input', () => BillingPreferencesUpdateInput, { description: 'New values. Omit a field to keep its value.' })
    input: BillingPreferencesUpdateInput,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { billingAccounts }: BillingContext,
  ): Promise<BillingAccount> {
    return billingAccounts.update(accountId, input, expectedRevision);
  }

  @Mutation(() => PaymentMethod, {
    description:
      'Add a payment method to an account. Its token identifies it. Nothing is charged. The same card of an account is stored once.',
  })
  @Requires('billing:create', { secondFactor: true })
  addPaymentMethod(
    @Arg('accountId', () => ID, { description: ACCOUNT_ID }) accountId: string,
    @Arg('input', () => PaymentMethodInput, { description: 'Token of the payment method.' }) input: PaymentMethodInput,
    @Ctx() { billingAccounts }: BillingContext,
  ): Promise<PaymentMethod> {
    return billingAccounts.addPaymentMethod(accountId, input);
  }

  @Mutation(() => PaymentMethod, {
    description:
      'Detach a payment method from its account, so that it cannot be charged any more. Earlier payments still show it, and can be refunded.',
  })
  @Requires('billing:write', { secondFactor: true })
  detachPaymentMethod(
    @Arg('accountId', () => ID, { description: ACCOUNT_ID }) accountId: string,
    @Arg('id', () => ID, { description: 'Id of the payment method (`pm_…`).' }) id: string,
    @Ctx() { billingAccounts }: BillingContext,
  ): Promise<PaymentMethod> {
    return billingAccounts.detachPaymentMethod(accountId, id);
  }

  @FieldResolver(() => [Balance], { description: 'Due amount and credit of the account: one balance for each currency that was billed.' })
  balances(@Root() { accountId }: BillingAccount, @Ctx() { balances }: BillingContext): Promise<Balance[]> {
    return balances.load(accountId);
  }

  @FieldResolver(() => [PaymentMethod], { description: `Payment methods that can be charged, newest first, at most ${MAX_METHODS}.` })
  paymentMethods(@Root() { accountId }: BillingAccount, @Ctx() { loaders }: BillingContext): Promise<PaymentMethod[]> {
    return loaders.paymentMethods.newest('accountId', accountId, MAX_METHODS, { status: PaymentMethodStatus.ACTIVE });
  }

  @FieldResolver(() => PaymentMethod, { nullable: true, description: 'Default payment method. Null if there is none.' })
  async defaultPaymentMethod(
    @Root() { paymentMethodId }: BillingAccount,
    @Ctx() { loaders }: BillingContext,
  ): Promise<PaymentMethod | null> {
    return paymentMethodId ? loaders.paymentMethods.load(paymentMethodId) : null;
  }

  @FieldResolver(() => Dunning, { description: 'Whether the account pays in time.' })
  async dunning(@Root() { accountId }: BillingAccount, @Ctx() { loaders }: BillingContext): Promise<Dunning> {
    return (await loaders.dunning.load(accountId)) ?? new Dunning();
  }

  @FieldResolver(() => NextInvoice, {
    nullable: true,
    description: 'Next invoice that the platform will generate. Null if nothing is billed regularly.',
  })
  async nextInvoice(@Root() { accountId }: BillingAccount, @Ctx() { loaders, subscriptions }: BillingContext): Promise<NextInvoice | null> {
    const live = await loaders.subscriptions.of('accountId', accountId);
    // each account is estimated alone, so only accounts with something to bill are
    return live.some(({ billDueAt }) => billDueAt !== null) ? subscriptions.nextInvoice(accountId) : null;
  }

  @FieldResolver(() => Account, { nullable: true, description: 'Account that is billed. Null if it no longer exists.' })
  account(@Root() { accountId }: BillingAccount): Account {
    return { id: accountId };
  }
}

@Resolver(() => Account)
export class AccountBillingResolver {
  @FieldResolver(() => BillingAccount, { description: 'Billing preferences, balances and payment methods of the account.' })
  @Requires('billing:read')
  billing(@Root() { id }: Account, @Ctx() { billingAccounts }: BillingContext): Promise<BillingAccount> {
    return billingAccounts.of(id);
  }
}
