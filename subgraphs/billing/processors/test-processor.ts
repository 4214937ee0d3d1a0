import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { refuseCardNumber } from './card-number.ts';
import {
  type Charge,
  declined,
  ForgedNotice,
  IdempotencyMismatch,
  type MethodDetails,
  OutcomeUnknown,
  type PayingAccount,
  type PaymentOutcome,
  type PaymentProcessor,
  type RefundOrder,
  UnknownToken,
} from './payment-processor.ts';
import { type StoredCharge, type StoredRefund, TestProcessorStore } from './test-processor.store.ts';
import { DELAY_MS, testToken } from './test-tokens.ts';

/** Prefix of the references of the test processor. The id of the payment or refund follows. */
export const PREFIX = 'test_';
const VALID_YEARS = 3;

/**
 * A simulated payment processor. The token of a payment method determines the outcome of its charges (test-tokens.ts). Charges and refunds
 * are stored in the database, so their outcomes survive a restart.
 */
export class TestProcessor implements PaymentProcessor {
  readonly name = 'test';
  readonly simulated = true;
  readonly #store: TestProcessorStore;

  constructor(
    rows: Rows,
    private readonly clock: Clock,
  ) {
    this.#store = new TestProcessorStore(rows);
  }

  async charge(charge: Charge): Promise<PaymentOutcome> {
    const token = testToken(charge.method);
    if (token?.loses === 'charge') throw new OutcomeUnknown('The test processor simulates a charge that does not arrive.');
    const now = this.clock.now();
    const added = await this.#store.addCharge(charge, {
      declineCode: token ? (token.declines?.code ?? null) : 'invalid_method',
      onlyOnce: token?.onlyOnce ?? false,
      now,
      settlesAt: new Date(now.getTime() + (token?.delayMs ?? 0)),
      disputeAt: token?.disputes ? new Date(now.getTime() + DELAY_MS) : null,
    });
    const stored = added ?? (await this.#store.charge(charge.organizationId, charge.id));
    if (!stored) throw new OutcomeUnknown('The charge was deleted.');
    if (stored.method !== charge.method || !isSameAmount(stored, charge)) throw new IdempotencyMismatch(charge.id);
    if (added && token?.loses === 'response') throw new OutcomeUnknown('The test processor simulates a lost response.');
    return this.#chargeOutcome(charge.id, stored);
  }

  async findCharge({ organizationId, id }: Charge): Promise<PaymentOutcome | null> {
    const stored = await this.#store.charge(organizationId, id);
    return stored ? this.#chargeOutcome(id, stored) : null;
  }

  async refund(refund: RefundOrder): Promise<PaymentOutcome> {
    const { organizationId, id } = refund;
    const chargeId = refund.charge.startsWith(PREFIX) ? refund.charge.slice(PREFIX.length) : '';
    const charge = await this.#store.charge(organizationId, chargeId);
    if (!charge || charge.currency !== refund.currency || this.#chargeOutcome(chargeId, charge).state !== 'succeeded')
      return declined('not_refundable', true);
    const code = testToken(charge.method)?.refusesRefunds ? 'declined' : null;
    await this.#store.addRefund(refund, chargeId, code, this.clock.now());
    const stored = await this.#store.refund(organizationId, id);
    if (!stored) throw new OutcomeUnknown('The refund was deleted.');
    if (stored.chargeId !== chargeId || !isSameAmount(stored, refund)) throw new IdempotencyMismatch(id);
    return refundOutcome(id, stored);
  }

  async findRefund({ organizationId, id }: RefundOrder): Promise<PaymentOutcome | null> {
    const stored = await this.#store.refund(organizationId, id);
    return stored ? refundOutcome(id, stored) : null;
  }

  async attach(token: string, _account: PayingAccount): Promise<MethodDetails> {
    refuseCardNumber(token);
    const found = testToken(token);
    if (!found) throw new UnknownToken('is not a token of the test processor. Use tok_visa, for example.');
    return {
      reference: token,
      type: 'card',
      brand: found.brand,
      last4: found.last4,
      expires: { month: 12, year: this.clock.now().getUTCFullYear() + VALID_YEARS },
      reusable: !found.isSingleUse,
      fingerprint: `${PREFIX}${token}`,
    };
  }

  /** Does nothing, because the test processor stores no payment methods. */
  async detach(): Promise<void> {}

  /** Always throws, because the test processor sends no webhooks. test-disputes.sweeper.ts reports its disputes instead. */
  read(): never {
    throw new ForgedNotice('The test processor sends no webhooks.');
  }

  #chargeOutcome(id: string, { declineCode, method, settlesAt }: StoredCharge): PaymentOutcome {
    const reference = `${PREFIX}${id}`;
    if (this.clock.now() < settlesAt) return { state: 'pending', reference, lookAgainAt: settlesAt };
    if (declineCode === null) return { state: 'succeeded', reference };
    const { isFinal = true, available = null } = testToken(method)?.declines ?? {};
    return { state: 'declined', code: declineCode, isFinal, available, reference };
  }
}

const refundOutcome = (id: string, { declineCode }: StoredRefund): PaymentOutcome =>
  declineCode === null
    ? { state: 'succeeded', reference: `${PREFIX}${id}` }
    : declined(declineCode, declineCode === 'not_refundable', `${PREFIX}${id}`);

const isSameAmount = (stored: StoredCharge | StoredRefund, { amount, currency }: Charge | RefundOrder): boolean =>
  stored.amount.equals(amount) && stored.currency === currency;
