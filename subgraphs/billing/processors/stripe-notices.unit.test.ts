import type Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { noticeOf } from './stripe-notices.ts';

const NOW = new Date('2026-11-01T12:00:00Z');
const OURS = { payment_id: 'pay_1', organization_id: 'org_1', account_id: 'acc_1' };

const read = (type: string, object: object) => noticeOf({ type, data: { object } } as unknown as Stripe.Event, NOW);

describe('notices about payments', () => {
  test.each([
    ['payment_intent.succeeded', { status: 'succeeded' }, { state: 'succeeded', reference: 'pi_1' }],
    ['payment_intent.processing', { status: 'processing' }, { state: 'pending', lookAgainAt: new Date('2026-11-01T13:00:00Z') }],
    [
      'payment_intent.payment_failed',
      { status: 'requires_payment_method', last_payment_error: { code: 'card_declined', decline_code: 'lost_card' } },
      { state: 'declined', code: 'stolen', isFinal: true, available: null, reference: 'pi_1' },
    ],
    ['payment_intent.canceled', { status: 'canceled' }, { state: 'declined', code: 'cancelled', isFinal: true }],
  ])('the event %s states the outcome of the payment', (type, fields, outcome) => {
    expect(read(type, { id: 'pi_1', metadata: OURS, ...fields })).toMatchObject({
      kind: 'payment',
      id: 'pay_1',
      organizationId: 'org_1',
      outcome,
    });
  });

  test('a payment of another program in the same Stripe account is ignored', () => {
    expect(read('payment_intent.succeeded', { id: 'pi_1', status: 'succeeded', metadata: {} })).toBeNull();
  });

  test('a Stripe event that the platform does not use is ignored', () => {
    expect(read('customer.updated', { id: 'cus_1' })).toBeNull();
    expect(read('payment_intent.requires_action', { id: 'pi_1', status: 'requires_action', metadata: OURS })).toBeNull();
  });
});

describe('notices about refunds', () => {
  const refund = {
    id: 're_1',
    payment_intent: 'pi_1',
    amount: 500,
    currency: 'isk',
    metadata: { refund_id: 'refund_1', organization_id: 'org_1' },
  };

  test('a failed refund states its reason, amount and charge', () => {
    const notice = read('refund.failed', { ...refund, status: 'failed', failure_reason: 'expired_or_canceled_card' });
    expect(notice).toMatchObject({ kind: 'refund', id: 'refund_1', organizationId: 'org_1', charge: 'pi_1', currency: 'ISK' });
    expect(notice).toMatchObject({ outcome: { state: 'declined', code: 'invalid_method', isFinal: true, reference: 're_1' } });
    expect(notice?.kind === 'refund' && notice.amount.toString()).toBe('5');
  });

  test('a refund that somebody made in the Stripe dashboard has no id of the platform', () => {
    const notice = read('refund.created', { ...refund, status: 'succeeded', metadata: null });
    expect(notice).toMatchObject({ kind: 'refund', id: null, organizationId: null, charge: 'pi_1', outcome: { state: 'succeeded' } });
  });
});

describe('notices about disputes', () => {
  test.each([
    ['needs_response', 'open'],
    ['under_review', 'open'],
    ['won', 'won'],
    ['warning_closed', 'won'],
    ['lost', 'lost'],
  ])('a dispute with the status %s is %s', (status, state) => {
    const dispute = { id: 'dp_1', payment_intent: { id: 'pi_1' }, amount: 1050, currency: 'usd', reason: 'fraudulent', status };
    expect(read('charge.dispute.updated', dispute)).toMatchObject({
      kind: 'dispute',
      reference: 'dp_1',
      charge: 'pi_1',
      reason: 'fraudulent',
      state,
    });
  });

  test.each(['warning_needs_response', 'warning_under_review'])('an inquiry of the bank with the status %s takes no money', (status) => {
    const dispute = { id: 'dp_1', payment_intent: 'pi_1', amount: 1050, currency: 'usd', reason: 'general', status };
    expect(read('charge.dispute.created', dispute)).toBeNull();
  });

  test.each(['charge.dispute.funds_withdrawn', 'charge.dispute.funds_reinstated'])(
    'the Stripe event %s becomes a notice about the dispute',
    (type) => {
      const dispute = { id: 'dp_1', payment_intent: 'pi_1', amount: 1050, currency: 'usd', reason: 'general', status: 'needs_response' };
      expect(read(type, dispute)).toMatchObject({ kind: 'dispute', state: 'open' });
    },
  );
});
