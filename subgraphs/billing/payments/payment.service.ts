import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters, InvalidState, refuse } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { bothOf } from '../../../kernel/lists/row-filter.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { between, matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { Counters } from '../../../kernel/tally/counters.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { Decimal, isPayable, minorDigits } from '../../../kernel/values/money.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { InvoiceStatus, invoiceStates } from '../invoices/invoice.states.ts';
import type { PaymentProcessor } from '../processors/payment-processor.ts';
import { Payment } from './payment.entity.ts';
import {
  DuplicatePayment,
  PaymentDisputed,
  PaymentNotRefundable,
  ProcessorNotConfigured,
  RefundDeclined,
  tooMuch,
} from './payment.errors.ts';
import type { PaymentFilter, PaymentInput, RefundInput } from './payment.inputs.ts';
import { PaymentOrigin, PaymentStatus } from './payment.states.ts';
import type { PaymentAttempts } from './payment-attempts.ts';
import { PaymentMethod } from './payment-method.entity.ts';
import type { PaymentMethodService } from './payment-method.service.ts';
import { startPayment } from './payment-start.ts';
import { Refund } from './refund.entity.ts';
import { firstLookup } from './settlement.job.ts';
import { failureOf } from './settlement.ts';

export interface PaymentServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  invoices: RecordLoader<Invoice>;
  payments: RecordLoader<Payment>;
  methods: PaymentMethodService;
  attempts: PaymentAttempts;
  processor: PaymentProcessor;
  counters: Counters;
}

const OPEN = [InvoiceStatus.PENDING, InvoiceStatus.OVERDUE];

/** Pays invoices and refunds payments (specification 2.6, 3.3, 4.5). */
export class PaymentService {
  constructor(private readonly deps: PaymentServiceDeps) {}

  /**
   * Pays an invoice, or a part of it. If the payment processor does not report the outcome, the payment is returned as
   * `pending`, and the platform asks for the outcome later.
   * @throws ResourceNotFound, InvalidParameters, InvalidState for a cancelled invoice
   * @throws DuplicatePayment, InsufficientFunds, PaymentDeclined, PlatformError SERVICE_UNAVAILABLE
   */
  async create(input: PaymentInput): Promise<Payment> {
    const { em, clock, invoices, methods, attempts, processor } = this.deps;
    const seen = orNotFound(await invoices.load(input.invoiceId), 'invoice', input.invoiceId);
    // before the token is exchanged, so that a request that cannot succeed leaves nothing behind
    await this.#check(em, seen, input.amount, null);
    const method = await methods.resolve(seen.accountId, input);
    const now = clock.now();
    const started = await em.transactional(
      async (tx) => {
        const invoice = orNotFound(await tx.findOne(Invoice, { id: seen.id }, LOCKED), 'invoice', seen.id);
        await this.#check(tx, invoice, input.amount, method);
        return startPayment(tx, invoice, {
          ...{ amount: input.amount, method, processor, origin: PaymentOrigin.REQUEST, attempt: null, now },
          lookUpAt: firstLookup(now),
        });
      },
      { clear: true },
    );
    const payment = await attempts.begin(started, method);
    if (payment.status === PaymentStatus.FAILED) throw failureOf(payment);
    return payment;
  }

  /**
   * Refunds a payment, or a part of it. If the payment processor does not report the outcome, the refund is returned as
   * `pending`, and the platform asks for the outcome later.
   * @throws ResourceNotFound, InvalidParameters, PaymentNotRefundable, PaymentDisputed, ProcessorNotConfigured, RefundDeclined
   */
  async refund(id: string, { amount: wanted, reason }: RefundInput): Promise<Refund> {
    const { em, clock, attempts, processor, request } = this.deps;
    const now = clock.now();
    const { id: refundId } = await em.transactional(
      async (tx) => {
        // the invoice before the payment, as all transactions do that lock both
        const { invoiceId } = orNotFound(await tx.findOne(Payment, { id }), 'payment', id);
        const invoice = await tx.findOneOrFail(Invoice, { id: invoiceId }, LOCKED);
        const payment = await tx.findOneOrFail(Payment, { id }, { ...LOCKED, refresh: true });
        if (payment.status !== PaymentStatus.SUCCESSFUL) throw new PaymentNotRefundable(payment);
        if (!payment.amountDisputed.isZero()) throw new PaymentDisputed(payment);
        // nobody could ever tell the outcome, so that the amount would stay reserved
        if (payment.processor !== processor.name) throw new ProcessorNotConfigured(payment);
        const { organizationId, accountId, currency } = payment;
        // not what credit notes have given back as credit of the account
        const amountRefundable = Decimal.min(payment.amountRefundable, invoice.amountReturnable);
        const amount = wanted ?? amountRefundable;
        refuse(digitProblems(amount, currency));
        if (amount.isZero() || amount.greaterThan(amountRefundable))
          throw new InvalidParameters([tooMuch('amount', amount, amountRefundable)]);
        payment.refundReserved = payment.refundReserved.plus(amount);
        invoice.refundReserved = invoice.refundReserved.plus(amount);
        const refund = Object.assign(new Refund(), { id: newId('refund'), organizationId, accountId, paymentId: id, amount, currency });
        Object.assign(refund, { reason: reason ?? null, settleDueAt: firstLookup(now), createdAt: now, updatedAt: now });
        tx.persist(refund);
        return refund;
      },
      { clear: true },
    );
    const refund = await attempts.refund(request.principal.organizationId, refundId);
    if (refund.status === PaymentStatus.FAILED) throw new RefundDeclined(refund);
    return refund;
  }

  find(id: string): Promise<Payment | null> {
    return this.deps.payments.load(id);
  }

  /** Lists payments, newest first. Counting the total does not read all payments. */
  list({ accountId, invoiceId, status, dateFrom, dateTo }: PaymentFilter, page: PageInput): Promise<Page<Payment>> {
    const { em, counters, request } = this.deps;
    const { organizationId, accounts } = request.principal;
    const where = matching<Payment>({ accountId, invoiceId, status, createdAt: between(dateFrom, dateTo) });
    const values = { account_id: bothOf(accountId, accounts), invoice_id: invoiceId, status };
    const total = (): Promise<number> =>
      counters.total({ organizationId, values, createdAfter: dateFrom ?? null, createdBefore: dateTo ?? null });
    return listPage(em, Payment, { where, sort: [], page, defaultSort: NEWEST_FIRST, total });
  }

  /** Checks that an amount of an invoice can be paid now. `method` is null if the payment method is not known yet. */
  async #check(em: EntityManager, invoice: Invoice, amount: Decimal, method: PaymentMethod | null): Promise<void> {
    const { id, status, currency, amountPaid, amountOpen, amountDue } = invoice;
    refuse(digitProblems(amount, currency));
    if (status === InvoiceStatus.CANCELLED) throw new InvalidState('invoice', status, InvoiceStatus.PAID, invoiceStates.allowed(status));
    if (!OPEN.includes(status)) throw new DuplicatePayment(id, await this.#newest(em, { invoiceId: id, status: PaymentStatus.SUCCESSFUL }));
    // a payment that still pays the invoice is part of what was paid
    if (method && !amountPaid.isZero()) await this.#requireNew(em, invoice, amount, method);
    if (!amount.greaterThan(amountOpen)) return;
    if (!amount.greaterThan(amountDue))
      throw new DuplicatePayment(id, await this.#newest(em, { invoiceId: id, status: PaymentStatus.PENDING }));
    throw new InvalidParameters([tooMuch('amount', amount, amountDue)]);
  }

  /**
   * Refuses a payment of the same amount with the same card within a day after a successful payment.
   * @throws DuplicatePayment
   */
  async #requireNew(
    em: EntityManager,
    { id, accountId }: Invoice,
    amount: Decimal,
    { fingerprint, id: own }: PaymentMethod,
  ): Promise<void> {
    const since = new Date(this.deps.clock.now().getTime() - DAY_MS);
    const paid = await em.find(Payment, { invoiceId: id, status: PaymentStatus.SUCCESSFUL, amount, createdAt: { $gte: since } });
    if (paid.length === 0) return;
    const same = fingerprint === null ? [] : await em.find(PaymentMethod, { accountId, fingerprint });
    const ids = [own, ...same.map((method) => method.id)];
    // a payment that the bank took back does not pay any more
    const duplicate = paid.find((one) => ids.includes(one.paymentMethodId) && one.amountApplied.equals(one.amount));
    if (duplicate) throw new DuplicatePayment(id, duplicate);
  }

  #newest(em: EntityManager, where: { invoiceId: string; status: PaymentStatus }): Promise<Payment | null> {
    return em.findOne(Payment, where, { orderBy: { createdAt: 'desc', id: 'desc' } });
  }
}

function digitProblems(amount: Decimal, currency: string) {
  if (isPayable(amount, currency)) return [];
  const digits = minorDigits(currency);
  const reason = digits === 0 ? `must be a whole number of ${currency}` : `must have at most ${digits} decimals in ${currency}`;
  return [{ field: 'amount', value: amount.toNumber(), reason }];
}
