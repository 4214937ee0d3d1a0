import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Reaction } from '../../../kernel/events/events.ts';
import { claimOnce } from '../../../kernel/events/outbox.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { InvoiceStatus } from '../invoices/invoice.states.ts';
import { InvoiceDelivery } from './invoice-delivery.entity.ts';
import { DeliveryCause } from './invoice-delivery.states.ts';
import type { InvoiceSender } from './invoice-sender.job.ts';

/** Returns whether an account gets its invoices by e-mail. */
export type WantsMail = (tx: EntityManager, organizationId: string, accountId: string) => Promise<boolean>;

export interface InvoiceDeliveryDeps {
  orm: Orm;
  sender: InvoiceSender;
  wantsMail: WantsMail;
}

/**
 * Delay before an invoice that a request created is delivered. During the delay, its lines can be corrected. The mutation `sendInvoice`
 * delivers it immediately.
 */
export const CORRECTION_MS = HOUR_MS;

/**
 * Returns the reactions that deliver new invoices. An invoice that the platform created is delivered immediately, and a requested invoice
 * is delivered after an hour. Each invoice is delivered once, even if its event arrives several times.
 */
export const invoiceDelivery = (deps: InvoiceDeliveryDeps): Reaction[] => [
  delivering(deps, 'invoice.generated', 0),
  delivering(deps, 'invoice.created', CORRECTION_MS),
];

const delivering = ({ orm, sender, wantsMail }: InvoiceDeliveryDeps, on: string, delayMs: number): Reaction => {
  const name = `billing.deliver-${on.split('.')[1]}`;
  return {
    name,
    on,
    async handle({ id, organizationId, accountId, subject }) {
      await organizationEm(orm, organizationId).transactional(async (tx) => {
        if (!(await claimOnce(tx, id, name))) return;
        if (accountId && !(await wantsMail(tx, organizationId, accountId))) return;
        const invoice = await tx.findOne(Invoice, { id: subject.id }, LOCKED);
        if (!invoice || invoice.status === InvoiceStatus.CANCELLED) return;
        if (!accountId && !(await wantsMail(tx, organizationId, invoice.accountId))) return;
        if ((await tx.count(InvoiceDelivery, { invoiceId: invoice.id, cause: DeliveryCause.ISSUE })) > 0) return;
        const startAfter = new Date(invoice.createdAt.getTime() + delayMs);
        await sender.queue(tx, invoice, { cause: DeliveryCause.ISSUE, ...(delayMs > 0 && { startAfter }) });
      });
    },
  };
};
