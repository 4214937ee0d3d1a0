import { Decimal } from '../../../kernel/values/money.ts';
import type { Decline } from './payment-processor.ts';

/** Behaviour of the test processor for a payment method with this token. */
export interface TestToken {
  brand: string;
  last4: string;
  /** Reason why charges are declined. `available` is the available amount that the simulated bank states. Default: charges succeed. */
  declines?: Decline & { available: Decimal | null };
  /** `declines` applies only to the first charge of an account. */
  onlyOnce?: true;
  /** Time for which charges are pending. Default: charges are never pending. */
  delayMs?: number;
  /** Simulates a lost message: the first response to a charge is lost, or the charge itself never arrives. */
  loses?: 'response' | 'charge';
  /** Charges succeed, but refunds of these charges are declined. */
  refusesRefunds?: true;
  /** Charges succeed. 30 seconds later, the bank takes them back. Another 30 seconds later, the dispute is won or lost. */
  disputes?: 'won' | 'lost';
  /** The method is not reusable, so it cannot pay invoices automatically. */
  isSingleUse?: true;
}

const VISA = { brand: 'visa', last4: '4242' };
/** Time for which a delayed charge is pending. Each step of a dispute takes this time too. */
export const DELAY_MS = 30_000;
const DECLINED = { code: 'declined', isFinal: false, available: null } as const;

/** The tokens of the test processor. Where Stripe has a test token with the same behaviour, the name is the same. */
export const TEST_TOKENS: Readonly<Record<string, TestToken>> = {
  tok_visa: VISA,
  tok_mastercard: { brand: 'mastercard', last4: '4444' },
  tok_chargeDeclined: { ...VISA, last4: '0002', declines: DECLINED },
  tok_chargeDeclinedInsufficientFunds: {
    ...VISA,
    last4: '9995',
    declines: { code: 'insufficient_funds', isFinal: false, available: new Decimal('10.00') },
  },
  tok_chargeDeclinedExpiredCard: { ...VISA, last4: '0069', declines: { code: 'expired', isFinal: true, available: null } },
  tok_decline_once: { ...VISA, last4: '1001', declines: DECLINED, onlyOnce: true },
  tok_delayed: { ...VISA, last4: '1002', delayMs: DELAY_MS },
  tok_delayed_fails: { ...VISA, last4: '1003', delayMs: DELAY_MS, declines: DECLINED },
  tok_timeout_succeeds: { ...VISA, last4: '1004', loses: 'response' },
  tok_timeout_fails: { ...VISA, last4: '1005', loses: 'response', declines: DECLINED },
  tok_timeout_lost: { ...VISA, last4: '1006', loses: 'charge' },
  tok_refund_fails: { ...VISA, last4: '1007', refusesRefunds: true },
  tok_createDispute: { ...VISA, last4: '0259', disputes: 'lost' },
  tok_dispute_won: { ...VISA, last4: '1008', disputes: 'won' },
  tok_single_use: { ...VISA, last4: '0341', isSingleUse: true },
};

/** Returns the behaviour of the test processor for a token. Undefined for an unknown token. */
export const testToken = (token: string): TestToken | undefined => (Object.hasOwn(TEST_TOKENS, token) ? TEST_TOKENS[token] : undefined);
