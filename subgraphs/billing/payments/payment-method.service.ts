import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters, PlatformError } from '../../../kernel/errors/errors.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { MethodDeclined, type PaymentProcessor, ProcessorUnavailable, UnknownToken } from '../processors/payment-processor.ts';
import { enqueueDetachment } from './method-detachment.job.ts';
import { PaymentDeclined } from './payment.errors.ts';
import type { PaymentInput } from './payment.inputs.ts';
import { PaymentMethod } from './payment-method.entity.ts';
import { PaymentMethodStatus } from './payment-method.states.ts';
import type { PaymentMethodInput } from './payment-method.values.ts';

export interface PaymentMethodServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  methods: RecordLoader<PaymentMethod>;
  processor: PaymentProcessor;
  jobs: Jobs;
}

/** Finds the payment methods of accounts, and exchanges card tokens for payment methods. */
export class PaymentMethodService {
  constructor(private readonly deps: PaymentMethodServiceDeps) {}

  /**
   * Returns the payment method for a payment request. The request contains the id of a payment method or a card token. Must be called
   * outside of a transaction.
   * @throws ResourceNotFound if the account does not have the method
   * @throws InvalidParameters for an unknown token, PaymentDeclined, PlatformError SERVICE_UNAVAILABLE
   */
  async resolve(accountId: string, { paymentMethodId, paymentMethod }: PaymentInput): Promise<PaymentMethod> {
    if (paymentMethodId) {
      const method = await this.deps.methods.load(paymentMethodId);
      const isOfAccount = method?.accountId === accountId && method.status === PaymentMethodStatus.ACTIVE;
      return orNotFound(isOfAccount ? method : null, 'payment_method', paymentMethodId);
    }
    return this.add(accountId, paymentMethod as PaymentMethodInput, 'paymentMethod.cardToken');
  }

  /**
   * Exchanges a card token for a payment method of an account, and stores it. Must be called outside of a transaction. Error details name
   * the token `field`.
   * @throws InvalidParameters for an unknown token, PaymentDeclined, PlatformError SERVICE_UNAVAILABLE
   */
  async add(accountId: string, { cardToken, billingAddress }: PaymentMethodInput, field = 'cardToken'): Promise<PaymentMethod> {
    return this.#store(accountId, await this.#attached(accountId, cardToken, field), billingAddress ?? null);
  }

  /**
   * Detaches a payment method from an account, now on the platform and later at the payment processor. The caller must have locked the
   * billing account.
   * @throws ResourceNotFound
   */
  async detach(tx: EntityManager, accountId: string, id: string): Promise<PaymentMethod> {
    const where = { id, accountId, status: PaymentMethodStatus.ACTIVE };
    const method = orNotFound(await tx.findOne(PaymentMethod, where, LOCKED), 'payment_method', id);
    method.status = PaymentMethodStatus.DETACHED;
    await enqueueDetachment(this.deps.jobs, tx, method);
    return method;
  }

  async #attached(accountId: string, token: string, field: string) {
    const { em, processor, request } = this.deps;
    const { organizationId } = request.principal;
    const known = await em.findOne(PaymentMethod, { accountId, processor: processor.name }, { orderBy: { createdAt: 'asc' } });
    try {
      return await processor.attach(token, { organizationId, accountId, method: known?.reference ?? null });
    } catch (error) {
      // without the token, because it may be a secret
      if (error instanceof UnknownToken) throw new InvalidParameters([{ field, reason: error.message }]);
      if (error instanceof MethodDeclined) throw new PaymentDeclined(error.decline);
      if (error instanceof ProcessorUnavailable)
        throw new PlatformError(
          'SERVICE_UNAVAILABLE',
          'The payment processor does not respond. Nothing was charged. Try again.',
          {},
          { cause: error },
        );
      throw error;
    }
  }

  /** Stores a payment method. Each method of an account is stored once, even if several requests add it at the same time. */
  async #store(
    accountId: string,
    { reference, expires, ...details }: Awaited<ReturnType<PaymentProcessor['attach']>>,
    billingAddress: PaymentMethod['billingAddress'],
  ): Promise<PaymentMethod> {
    const { em, clock, processor, request } = this.deps;
    const { organizationId } = request.principal;
    const stored = { organizationId, accountId, processor: processor.name, reference };
    const fresh = {
      id: newId('paymentMethod'),
      ...stored,
      ...details,
      status: PaymentMethodStatus.ACTIVE,
      billingAddress,
      createdAt: clock.now(),
    };
    await em.upsert(
      PaymentMethod,
      { ...fresh, expiresMonth: expires?.month ?? null, expiresYear: expires?.year ?? null },
      { onConflictFields: ['organizationId', 'accountId', 'processor', 'reference'], onConflictAction: 'ignore' },
    );
    await em.nativeUpdate(PaymentMethod, { ...stored, status: PaymentMethodStatus.DETACHED }, { status: PaymentMethodStatus.ACTIVE });
    return em.findOneOrFail(PaymentMethod, stored, { refresh: true });
  }
}
