import { parse } from 'graphql';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { changesBetween } from '../../../kernel/records/changes.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { definedOnly, orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { BillingAccount } from '../accounts/billing-account.entity.ts';
import { noPaymentMethod, notReusable, usedForAutoPay } from '../accounts/billing-account.errors.ts';
import { billingAccountUpdated, preferencesOf } from '../accounts/billing-account.events.ts';
import { billingAccountOf } from '../accounts/billing-account-lock.ts';
import { rescheduleCharges } from '../collection/charge-schedule.ts';
import { PaymentMethod } from '../payments/payment-method.entity.ts';
import type { PaymentMethodService } from '../payments/payment-method.service.ts';
import { PaymentMethodStatus } from '../payments/payment-method.states.ts';
import type { PaymentMethodInput } from '../payments/payment-method.values.ts';
import { requireFreeCurrency } from './fixed-currency.ts';
import type { BillingPreferencesUpdateInput } from './preferences.inputs.ts';

const ACCOUNT = parse('query BillingAccountOf($id: ID!) { account(id: $id) { id } }');

export interface BillingAccountServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  accounts: RecordLoader<BillingAccount>;
  methods: PaymentMethodService;
}

/** Manages the billing preferences and payment methods of accounts (specification 2.6, 4.5). */
export class BillingAccountService {
  constructor(private readonly deps: BillingAccountServiceDeps) {}

  /** Returns the billing account of an account. Null if the caller's organization does not have the account. */
  async find(accountId: string): Promise<BillingAccount | null> {
    return (await this.#exists(accountId)) ? this.of(accountId) : null;
  }

  /** Returns the billing account of an account that exists, without creating a row. */
  async of(accountId: string): Promise<BillingAccount> {
    const { accounts, request } = this.deps;
    return (await accounts.one('accountId', accountId)) ?? BillingAccount.defaultsOf(request.principal.organizationId, accountId);
  }

  /**
   * Changes the preferences of an account. An update without a difference changes nothing.
   * @throws ResourceNotFound if the organization lacks the account, or the account lacks the payment method
   * @throws PreferencesNotAllowed, StaleResource
   */
  async update(accountId: string, input: BillingPreferencesUpdateInput, expectedRevision?: number | null): Promise<BillingAccount> {
    const { em, clock, request } = this.deps;
    await this.#require(accountId);
    const now = clock.now();
    return em.transactional(
      async (tx) => {
        const account = await billingAccountOf(tx, request.principal.organizationId, accountId, now);
        requireRevision(account, expectedRevision);
        if (input.currency && input.currency !== account.currency) await requireFreeCurrency(tx, account);
        const before = preferencesOf(account);
        Object.assign(account, definedOnly(input));
        await requireChargeable(tx, account, input);
        const changes = changesBetween(before, preferencesOf(account));
        if (Object.keys(changes).length === 0) return account;
        account.updatedAt = now;
        await tx.flush();
        await record(tx, billingAccountUpdated(account, changes, now));
        if (account.autoPay && (changes.auto_pay || changes.payment_method_id)) await rescheduleCharges(tx, account);
        return account;
      },
      { clear: true },
    );
  }

  /**
   * Adds a payment method to an account. A card that the account already has is not stored again.
   * @throws ResourceNotFound, InvalidParameters for an unknown token, PaymentDeclined, PlatformError SERVICE_UNAVAILABLE
   */
  async addPaymentMethod(accountId: string, input: PaymentMethodInput): Promise<PaymentMethod> {
    await this.#require(accountId);
    return this.deps.methods.add(accountId, input);
  }

  /**
   * Detaches a payment method from its account, so that it cannot be charged any more.
   * @throws ResourceNotFound, PreferencesNotAllowed if the method pays invoices automatically
   */
  async detachPaymentMethod(accountId: string, id: string): Promise<PaymentMethod> {
    const { em, clock, methods, request } = this.deps;
    await this.#require(accountId);
    const now = clock.now();
    return em.transactional(
      async (tx) => {
        const account = await billingAccountOf(tx, request.principal.organizationId, accountId, now);
        const isDefault = account.paymentMethodId === id;
        if (isDefault && account.autoPay) throw usedForAutoPay(accountId, id);
        const method = await methods.detach(tx, accountId, id);
        if (!isDefault) return method;
        const before = preferencesOf(account);
        Object.assign(account, { paymentMethodId: null, updatedAt: now });
        await tx.flush();
        await record(tx, billingAccountUpdated(account, changesBetween(before, preferencesOf(account)), now));
        return method;
      },
      { clear: true },
    );
  }

  async #require(accountId: string): Promise<void> {
    orNotFound((await this.#exists(accountId)) || null, 'account', accountId);
  }

  /** Returns whether the account exists. Must be called outside of a transaction. */
  async #exists(accountId: string): Promise<boolean> {
    const { graph, request } = this.deps;
    const { account } = await graph.query<{ account: object | null }>(ACCOUNT, { id: accountId }, request);
    return account !== null;
  }
}

/** Checks that the new default payment method exists, and that automatic payment can charge it. */
async function requireChargeable(tx: EntityManager, account: BillingAccount, input: BillingPreferencesUpdateInput): Promise<void> {
  const { accountId, autoPay, paymentMethodId: id } = account;
  if (autoPay && !id) throw noPaymentMethod(accountId);
  if (!id || (input.paymentMethodId === undefined && input.autoPay === undefined)) return;
  const method = await tx.findOne(PaymentMethod, { id, accountId, status: PaymentMethodStatus.ACTIVE });
  if (!orNotFound(method, 'payment_method', id).reusable) throw notReusable(accountId, id);
}
