import type { Decimal } from '../../../kernel/values/money.ts';

/** An order to charge a payment method. The amount is in units of the currency: 10.50 are ten and a half dollars. */
export interface Charge {
  /** Id of the payment. It is the idempotency key of the charge. */
  id: string;
  organizationId: string;
  accountId: string;
  amount: Decimal;
  /** ISO 4217 code, such as `USD`. */
  currency: string;
  /** Reference of the payment method, from `MethodDetails`. */
  method: string;
  /** The processor's reference of the charge. Null if no call has returned it yet. */
  reference: string | null;
  /**
   * Time when the payment was created, by the system clock and not by a sandbox clock. No call with its id was made earlier.
   */
  createdAt: Date;
}

/** An order to refund a charge, or a part of it. */
export interface RefundOrder {
  /** Id of the refund. It is the idempotency key of the refund. */
  id: string;
  organizationId: string;
  /** The processor's reference of the charge, from `PaymentOutcome`. */
  charge: string;
  amount: Decimal;
  /** ISO 4217 code. It is the currency of the charge. */
  currency: string;
  /** The processor's reference of the refund. Null if no call has returned it yet. */
  reference: string | null;
  /** Time when the refund was created, by the system clock. No call with its id was made earlier. */
  createdAt: Date;
}

/**
 * Reason of a decline. `stolen` includes lost cards, `invalid_method` is a method that the processor does not have (anymore),
 * `unsupported` is an amount, currency or card that the processor cannot charge, and `no_processor` means that the
 * operator has not configured a processor.
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

/** Why a processor declined. If `isFinal` is true, the same order can never succeed with the same payment method. */
export interface Decline {
  code: DeclineCode;
  isFinal: boolean;
}

/**
 * Result of a charge or refund. `reference` is the processor's id of it. `available` is the available amount if funds
 * are insufficient and the processor states it. A pending order is looked up again at `lookAgainAt`, unless a notice
 * comes earlier.
 */
export type PaymentOutcome =
  | { state: 'succeeded'; reference: string }
  | { state: 'pending'; reference: string; lookAgainAt: Date }
  | ({ state: 'declined'; available: Decimal | null; reference: string | null } & Decline);

/** The account that a payment method belongs to. */
export interface PayingAccount {
  organizationId: string;
  accountId: string;
  /** Reference of any payment method that the account already has at this processor. Null if it has none. */
  method: string | null;
}

/** What a processor knows about a payment method. Values that the method does not have are null. */
export interface MethodDetails {
  /** The processor's reference of the method, for charges. It is opaque, and is stored encrypted. */
  reference: string;
  /** Kind of method, such as `card` or `us_bank_account`. */
  type: string;
  /** Brand of a card, such as `visa`. */
  brand: string | null;
  last4: string | null;
  expires: { month: number; year: number } | null;
  /** Whether the method can be charged more than once. */
  reusable: boolean;
  /** The same for the same card or bank account, even if it was attached several times. */
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

/** `lost`: the money went back to the customer. `won`: the platform keeps it. */
export type DisputeState = 'open' | 'won' | 'lost';

/** Headers of an HTTP request, with names in lower case. */
export type NoticeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Charges and refunds money. Calls are made outside of database transactions. A call may be repeated with the same id:
 * money moves at most once for each id. A record names its processor, and only this processor may look it up.
 */
export interface PaymentProcessor {
  /** `test`, `stripe` or `none`. Payments and payment methods store it. */
  readonly name: string;
  /** True if no real money moves. */
  readonly simulated: boolean;

  /**
   * Charges a payment method. A repeated call returns the outcome of the first call.
   * @throws OutcomeUnknown if nobody knows whether money moved
   * @throws IdempotencyMismatch if the id was used for another amount, currency or method
   */
  charge(charge: Charge): Promise<PaymentOutcome>;

  /**
   * Looks up a charge, and moves no money. Returns null if the processor has not received it. A call of `charge` without
   * a response may still be on its way, so trust null only some minutes after the last call.
   * @throws OutcomeUnknown if the processor does not say
   */
  findCharge(charge: Charge): Promise<PaymentOutcome | null>;

  /** Refunds a charge. Works like `charge`, and has the same errors. */
  refund(refund: RefundOrder): Promise<PaymentOutcome>;

  /** Looks up a refund. Works like `findCharge`, and has the same errors. */
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
   * Verifies and reads a webhook request. Returns null for messages about other things.
   * @throws ForgedNotice if the signature is not valid or too old
   */
  read(body: Buffer, headers: NoticeHeaders): ProcessorNotice | null;
}

/** It is not known whether money moved, for example because no response arrived. Look up the outcome later. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** The id of a charge or refund was used before with other values. Nothing was done. */
export class IdempotencyMismatch extends Error {
  override readonly name = 'IdempotencyMismatch';

  constructor(id: string, options?: ErrorOptions) {
    super(`The payment processor has already received ${id} with other values.`, options);
  }
}

/**
 * A token is not valid. The message continues a sentence that starts with the field: "is not a token …". It never contains
 * the token, which may be a card number.
 */
export class UnknownToken extends Error {
  override readonly name = 'UnknownToken';
}

/** The processor or the bank refuses a payment method. */
export class MethodDeclined extends Error {
  override readonly name = 'MethodDeclined';

  constructor(readonly decline: Decline) {
    super(`The payment method was declined: ${decline.code}.`);
  }
}

/** The processor did not respond to a call that moves no money. A retry may succeed. */
export class ProcessorUnavailable extends Error {
  override readonly name = 'ProcessorUnavailable';
}

/** A webhook request does not have a valid signature of the processor. */
export class ForgedNotice extends Error {
  override readonly name = 'ForgedNotice';
}

/** Returns the outcome of a declined order whose available amount is not known. */
export const declined = (code: DeclineCode, isFinal: boolean, reference: string | null = null): PaymentOutcome => ({
  state: 'declined',
  code,
  isFinal,
  available: null,
  reference,
});
