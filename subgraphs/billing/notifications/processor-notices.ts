import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { EVERYWHERE, organizationEm } from '../../../kernel/records/organization-filter.ts';
import { settleDispute } from '../disputes/dispute-settlement.ts';
import { recordExternalRefund } from '../payments/external-refund.ts';
import { Payment } from '../payments/payment.entity.ts';
import { PaymentStatus } from '../payments/payment.states.ts';
import { Refund } from '../payments/refund.entity.ts';
import { settlePayment, settleRefund } from '../payments/settlement.ts';
import { ForgedNotice, type NoticeHeaders, type PaymentProcessor, type ProcessorNotice } from '../processors/payment-processor.ts';

export interface ProcessorNoticesDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
  processor: PaymentProcessor;
}

/**
 * Processes the notifications of the payment processor. Notifications can arrive early, late, several times and in any order; each change
 * is recorded only once. Notifications about suspended and closed organizations are processed too, because the money has already been
 * moved.
 */
export class ProcessorNotices {
  constructor(private readonly deps: ProcessorNoticesDeps) {}

  /**
   * Verifies and processes a notification.
   * @throws PlatformError INVALID_SIGNATURE; SERVICE_UNAVAILABLE if the processor must send the notification again later
   */
  async receive(body: Buffer, headers: NoticeHeaders): Promise<void> {
    const notice = this.#read(body, headers);
    if (!notice) return;
    const { orm, clock, log } = this.deps;
    const payment = await this.#paymentOf(notice);
    if (!payment) {
      if (notice.kind !== 'payment' && (await this.#isChargeUnknown())) throw new TooEarly();
      // another system may use the same account at the processor; the processor would repeat a refused notification for days
      log.info({ notification: notice.kind, of: subjectOf(notice) }, 'a notification is about a payment that the platform does not have');
      return;
    }
    if (notice.kind !== 'payment' && notice.currency !== payment.currency) {
      log.error({ payment: payment.id, currency: notice.currency }, 'a notification has another currency than its payment');
      return;
    }
    await organizationEm(orm, payment.organizationId).transactional((tx) => applyNotice(tx, payment.id, notice, clock.now()));
  }

  #read(body: Buffer, headers: NoticeHeaders): ProcessorNotice | null {
    try {
      return this.deps.processor.read(body, headers);
    } catch (error) {
      if (!(error instanceof ForgedNotice)) throw error;
      throw new PlatformError('INVALID_SIGNATURE', error.message, { reason: 'mismatch' }, { cause: error });
    }
  }

  /**
   * Finds the payment by its id or, if the notification has no id, by the processor's reference of the charge. It searches all
   * organizations.
   */
  async #paymentOf(notice: ProcessorNotice): Promise<Pick<Payment, 'id' | 'organizationId' | 'currency'> | null> {
    const { orm, processor } = this.deps;
    const { name } = processor;
    if (notice.kind === 'payment') return organizationEm(orm, notice.organizationId).findOne(Payment, { id: notice.id, processor: name });
    if (notice.charge === '') return null;
    return orm.em.fork().findOne(Payment, { processor: name, reference: notice.charge }, EVERYWHERE);
  }

  /** Returns whether the processor's reference of a charge is not known yet, so that any notification may be about this charge. */
  async #isChargeUnknown(): Promise<boolean> {
    const { orm, processor } = this.deps;
    const waiting = { processor: processor.name, reference: null, status: PaymentStatus.PENDING, settleDueAt: { $ne: null } };
    return (await orm.em.fork().findOne(Payment, waiting, { ...EVERYWHERE, fields: ['id'] })) !== null;
  }
}

/** The response to a notification that must be sent again. Processors repeat a notification for days. */
class TooEarly extends PlatformError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'The outcome of a payment is not known yet. Send the notification again.', { retry_after: 60 });
  }
}

const subjectOf = (notice: ProcessorNotice): string => (notice.kind === 'payment' ? notice.id : notice.charge);

/** Records a notification about a payment. `tx` is limited to the organization of the payment. */
export async function applyNotice(tx: EntityManager, paymentId: string, notice: ProcessorNotice, now: Date): Promise<void> {
  if (notice.kind === 'payment') await settlePayment(tx, paymentId, notice.outcome, now);
  else if (notice.kind === 'dispute') await settleDispute(tx, paymentId, notice, now);
  else {
    const own = notice.id === null ? null : await tx.findOne(Refund, { id: notice.id, paymentId });
    if (own) await settleRefund(tx, own.id, notice.outcome, now);
    else await recordExternalRefund(tx, paymentId, notice, now);
  }
}
