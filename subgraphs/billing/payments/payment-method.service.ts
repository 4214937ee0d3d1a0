import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters, PlatformError } from '../../../kernel/errors/errors.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { MethodDeclined, type PaymentProcessor, ProcessorUnavailable, UnknownToken } from '../processors/payment-processor.ts';
import { PaymentDeclined } from './payment.errors.ts';
import type { PaymentInput } from './payment.inputs.ts';
import { PaymentMethod } from './payment-method.entity.ts';

export interface PaymentMethodServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  methods: RecordLoader<PaymentMethod>;
  processor: PaymentProcessor;
}

/** Finds the payment methods of accounts, and exchanges tokens for them. */
export class PaymentMethodService {
  constructor(private readonly deps: PaymentMethodServiceDeps) {}

  /**
   * Returns the payment method that a payment names, by its id or by a token. Must be called outside of a transaction.
   * @throws ResourceNotFound if the account does not have the method
   * @throws InvalidParameters for an unknown token, PaymentDeclined, PlatformError SERVICE_UNAVAILABLE
   */
  async resolve(accountId: string, { paymentMethodId, paymentMethod }: PaymentInput): Promise<PaymentMethod> {
    if (paymentMethodId) {
      const method = await this.deps.methods.load(paymentMethodId);
      return orNotFound(method?.accountId === accountId ? method : null, 'payment_method', paymentMethodId);
    }
    const details = await this.#attached(accountId, paymentMethod?.cardToken ?? '');
    return this.#store(accountId, details, paymentMethod?.billingAddress ?? null);
  }

  async #attached(accountId: string, token: string) {
    const { em, processor, request } = this.deps;
    const { organizationId } = request.principal;
    const known = await em.findOne(PaymentMethod, { accountId, processor: processor.name }, { orderBy: { createdAt: 'asc' } });
    try {
      return await processor.attach(token, { organizationId, accountId, method: known?.reference ?? null });
    } catch (error) {
      // without the token, because it may be a secret
      if (error instanceof UnknownToken) throw new InvalidParameters([{ field: 'paymentMethod.cardToken', reason: error.message }]);
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

  /** Stores a method. The same method of an account is stored once, also if requests use it at the same time. */
  async #store(
    accountId: string,
    { reference, expires, ...details }: Awaited<ReturnType<PaymentProcessor['attach']>>,
    billingAddress: PaymentMethod['billingAddress'],
  ): Promise<PaymentMethod> {
    const { em, clock, processor, request } = this.deps;
    const { organizationId } = request.principal;
    const stored = { organizationId, accountId, processor: processor.name, reference };
    const fresh = { id: newId('paymentMethod'), ...stored, ...details, billingAddress, createdAt: clock.now() };
    await em.upsert(
      PaymentMethod,
      { ...fresh, expiresMonth: expires?.month ?? null, expiresYear: expires?.year ?? null },
      { onConflictFields: ['organizationId', 'accountId', 'processor', 'reference'], onConflictAction: 'ignore' },
    );
    return em.findOneOrFail(PaymentMethod, stored);
  }
}
