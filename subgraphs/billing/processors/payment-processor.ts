import type { Decimal } from '../../../kernel/values/money.ts';

/**
 * A request to the payment processor to charge a payment method. The amount is in units of the currency: 10.50 are ten
 * and a half dollars.
 */
export interface Charge {
  /** Id of the payment. It is the idempotency key of the charge. */
  id: string;
  organizationId: string;
  accountId: string;
  amount: Decimal;
  /** ISO 4217 code of the currency, such as `USD`. */
  currency: string;
  /** Reference of the payment method, from `MethodDetails`. */
  method: string;
  /** The processor's reference of the charge. Null if the processor has not returned it yet. */
  reference: string | null;
  /**
   * Time when the payment was created, by the system clock and not by a sandbox clock. The platform made no call with the id of the payment
   * before this time.
   */
  createdAt: Date;
}

/** A request to the payment processor to refund a charge, or a part of it. */
export interface RefundOrder {
  /** Id of the refund. It is the idempotency key of the refund. */
  id: string;
  organizationId: string;
  /** The processor's reference of the charge, from `PaymentOutcome`. */
  charge: string;
  amount: Decimal;
  /** ISO 4217 code of the currency, which is the currency of the charge. */
  currency: string;
  /** The processor's reference of the refund. Null if the processor has not returned it yet. */
  reference: string | null;
  /** Time when the refund was created, by the system clock. The platform made no call with the id of the refund before this time. */
  createdAt: Date;
}

/**
 * Reason of a decline. `stolen` includes lost cards, `invalid_method` is a method that the processor does not know or has deleted,
 * `unsupported` is an amount, currency or card that the processor cannot charge, and `no_processor` means that the operator has not
 * configured a processor.
 */
export type DeclineCode =
  | 'declined'
  | 'insufficient_funds'
  | 'limit_exceeded'
  | 'expired'
  | 'stolen'
  | 'authentication_required'
  | 'invalid_details'
  | 'invalid_method'
  | 'unsupported'
  | 'processing_error'
  | 'not_refundable'
  | 'cancelled'
  | 'no_processor';

/** Reason why a processor declined a charge or refund. If `isFinal` is true, a retry with the same payment method never succeeds. */
export interface Decline {
  code: DeclineCode;
  isFinal: boolean;
}

/**
 * Result of a charge or refund. `reference` is the processor's id of the charge or refund. `available` is the available amount if funds are
 * insufficient and the processor states it. If the outcome is pending, the platform asks the processor again at `lookAgainAt`, if no notice
 * arrives before.
 */
export type PaymentOutcome =
  | { state: 'succeeded'; reference: string }
  | { state: 'pending'; reference: string; lookAgainAt: Date }
  | ({ state: 'declined'; available: Decimal | null; reference: string | null } & Decline);

/** The account that a payment method belongs to. */
export interface PayingAccount {
  organizationId: string;
  accountId: string;
  /** Reference of any payment method that the account already has at this processor. Null if the account has no method there. */
  method: string | null;
}

/** Properties of a payment method, as the processor reports them. A property that does not apply to the method is null. */
export interface MethodDetails {
  /**
   * The processor's reference of the payment method, with which charges are made. The platform stores it encrypted and does not interpret
   * it.
   */
  reference: string;
  /** Kind of method, such as `card` or `us_bank_account`. */
  type: string;
  /** Card brand, such as `visa`. Null for other methods. */
  brand: string | null;
  last4: string | null;
  expires: { month: number; year: number } | null;
  /** True if the payment method can be charged more than once. */
  reusable: boolean;
  /**
   * Fingerprint of the card or bank account. Methods with the same card or bank account have the same fingerprint, even if they were
   * attached separately.
   */
  fingerprint: string | null;
}

/**
 * Message of a processor about a payment, a refund or a dispute. Notices may arrive more than once, in any order, and
 * before the response to the call. The ids of a refund are null if the refund was made outside of the platform.
 */
export type ProcessorNotice =
  | { kind: 'payment'; id: string; organizationId: string; outcome: PaymentOutcome }
  | {
      kind: 'refund';
      id: string | null;
      organizationId: string | null;
      charge: string;
      amount: Decimal;
      currency: string;
      outcome: PaymentOutcome;
    }
  | { kind: 'dispute'; reference: string; charge: string; amount: Decimal; currency: string; reason: string; state: DisputeState };

/** State of a dispute. `lost`: the customer keeps the returned money. `won`: the organization keeps the money. */
export type DisputeState = 'open' | 'won' | 'lost';

/** Headers of an HTTP request, with names in lower case. */
export type NoticeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Payment processor: charges and refunds money. Calls are made outside of database transactions. A call may be repeated with the same id:
 * money moves at most once for each id. Each stored payment contains the name of its processor, because only this processor knows the
 * outcome.
 */
export interface PaymentProcessor {
  /** Name of the processor: `test`, `stripe` or `none`. Payments and payment methods store this name. */
  readonly name: string;
  /** True if no real money moves. */
  readonly simulated: boolean;

  /**
   * Charges a payment method. A repeated call with the same id returns the outcome of the first call.
   * @throws OutcomeUnknown if it is unknown whether money moved
   * @throws IdempotencyMismatch if the id was used for another amount, currency or method
   */
  charge(charge: Charge): Promise<PaymentOutcome>;

  /**
   * Returns the outcome of a charge, without moving money. Returns null if the processor has not received the charge. A call of `charge`
   * without a response may still reach the processor, so rely on null only some minutes after the last call.
   * @throws OutcomeUnknown if the processor does not state the outcome
   */
  findCharge(charge: Charge): Promise<PaymentOutcome | null>;

  /** Refunds a charge. Works like `charge`, and has the same errors. */
  refund(refund: RefundOrder): Promise<PaymentOutcome>;

  /** Returns the outcome of a refund, without moving money. Works like `findCharge`, and has the same errors. */
  findRefund(refund: RefundOrder): Promise<PaymentOutcome | null>;

  /**
   * Exchanges a token for a payment method of an account. A repeated call returns the same method.
   * @throws UnknownToken if the processor has not issued the token
   * @throws MethodDeclined if the processor or the bank refuses the method
   * @throws ProcessorUnavailable if the processor does not respond
   */
  attach(token: string, account: PayingAccount): Promise<MethodDetails>;

  /**
   * Removes a payment method from its account, so that it cannot be charged any more. A repeated call changes nothing.
   * @throws ProcessorUnavailable if the processor does not respond
   */
  detach(method: string): Promise<void>;

  /**
   * Verifies and parses a webhook request. Returns null for messages that do not concern a payment, refund or dispute.
   * @throws ForgedNotice if the signature is invalid or too old
   */
  read(body: Buffer, headers: NoticeHeaders): ProcessorNotice | null;
}

/** Thrown if it is unknown whether money was moved, for example because no response arrived. Ask for the outcome later. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** Thrown if the id of a charge or refund was used before with other values. No money was moved. */
export class IdempotencyMismatch extends Error {
  override readonly name = 'IdempotencyMismatch';

  constructor(id: string, options?: ErrorOptions) {
    super(`The payment processor has already received ${id} with other values.`, options);
  }
}

/**
 * Thrown if a token is not valid. The message continues a sentence that starts with the field: "is not a token …". It never contains the
 * token, which may be a card number.
 */
export class UnknownToken extends Error {
  override readonly name = 'UnknownToken';
}

/** Thrown if the processor or the bank refuses a payment method. */
export class MethodDeclined extends Error {
  override readonly name = 'MethodDeclined';

  constructor(readonly decline: Decline) {
    super(`The payment method was declined: ${decline.code}.`);
  }
}

/** Thrown if the processor did not respond to a call that moves no money. A retry may succeed. */
export class ProcessorUnavailable extends Error {
  override readonly name = 'ProcessorUnavailable';
}

/** Thrown if a webhook request does not have a valid signature of the processor. */
export class ForgedNotice extends Error {
  override readonly name = 'ForgedNotice';
}

/** Returns the outcome of a declined charge or refund whose available amount is unknown. */
export const declined = (code: DeclineCode, isFinal: boolean, reference: string | null = null): PaymentOutcome => ({
  state: 'declined',
  code,
  isFinal,
  available: null,
  reference,
});
