import { parse } from 'graphql';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Mail, Mailer } from '../../../kernel/messages/mail.ts';
import { mailTo } from '../../../kernel/messages/mail-document.ts';
import { MessageQueue } from '../../../kernel/messages/message-queue.ts';
import type { SmsSender } from '../../../kernel/messages/sms.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { dateOf } from '../../../kernel/values/days.ts';
import { minorDigits, sum } from '../../../kernel/values/money.ts';
import { BillingAccount } from '../accounts/billing-account.entity.ts';
import { DeliveryPreference } from '../accounts/delivery-preference.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { platformRequest } from './platform-request.ts';

const RETRIES = { retryLimit: 20, retryDelaySeconds: 30, retryDelayMaxSeconds: 3600 };
const MAX_LISTED = 20;
const RECIPIENT = parse(
  'query ReminderRecipient($id: ID!) { organization { name } account(id: $id) { name email billingContact { name email } } }',
);

interface Found {
  organization: { name: string };
  account: { name: string; email: string; billingContact: { name: string; email: string | null } | null } | null;
}

interface ReminderJob {
  id: string;
  organizationId: string;
  accountId: string;
  invoiceIds: string[];
}

export type ReminderPorts = Pick<Ports, 'orm' | 'graph' | 'jobs' | 'log' | 'origin' | 'isSuspended'> & { mailer: Mailer; sms: SmsSender };

/**
 * Sends reminders of overdue invoices to the billing contact of an account or, if there is none, to the address of the
 * account. The mail does not list invoices that were paid before it is sent.
 */
export class ReminderMails {
  readonly #queue: MessageQueue<ReminderJob>;

  constructor(private readonly ports: ReminderPorts) {
    this.#queue = new MessageQueue({
      ...ports,
      name: 'billing.reminder',
      retries: RETRIES,
      idOf: ({ id }) => id,
      messageOf: (job) => this.#mail(job),
    });
  }

  /** Queues one mail that reminds the account of several invoices. The mail is sent after the transaction commits. */
  enqueue(tx: EntityManager, reminder: Omit<ReminderJob, 'id'>): Promise<void> {
    return this.#queue.enqueue(tx, { id: newId('mail'), ...reminder });
  }

  async #mail({ id, organizationId, accountId, invoiceIds }: ReminderJob): Promise<Mail | undefined> {
    const em = organizationEm(this.ports.orm, organizationId);
    const preferences = await em.findOne(BillingAccount, { accountId });
    if (preferences?.invoiceDelivery === DeliveryPreference.NONE) return undefined;
    const invoices = await em.find(Invoice, { id: { $in: invoiceIds } }, { orderBy: { dueDate: 'asc', id: 'asc' } });
    const open = invoices.filter(({ amountOpen }) => amountOpen.greaterThan(0));
    const { account, organization } = await this.ports.graph.query<Found>(
      RECIPIENT,
      { id: accountId },
      platformRequest(this.ports, organizationId),
    );
    const email = account?.billingContact?.email ?? account?.email;
    if (open.length === 0 || !email) return undefined;
    const recipient = { email, name: account?.billingContact?.name ?? account?.name ?? null };
    const mail = mailTo(recipient, subjectOf(open), {
      paragraphs: paragraphsOf(open, organization.name),
      facts: open.slice(0, MAX_LISTED).map(factOf),
    });
    return { ...mail, messageId: `${id}@${new URL(this.ports.origin).hostname}` };
  }
}

const subjectOf = ([first, ...others]: readonly Invoice[]): string =>
  others.length === 0 ? `Reminder: the invoice ${first?.number} is overdue` : `Reminder: ${others.length + 1} invoices are overdue`;

const amountText = (invoice: Pick<Invoice, 'amountOpen' | 'currency'>): string =>
  `${invoice.amountOpen.toFixed(minorDigits(invoice.currency))} ${invoice.currency}`;

const factOf = (invoice: Invoice): [string, string] => [invoice.number, `${amountText(invoice)}, due ${dateOf(invoice.dueDate)}`];

function paragraphsOf(open: readonly Invoice[], organization: string): string[] {
  const byCurrency = [...Map.groupBy(open, ({ currency }) => currency)];
  const totals = byCurrency.map(([currency, some]) => amountText({ amountOpen: sum(some.map(({ amountOpen }) => amountOpen)), currency }));
  const more = open.length > MAX_LISTED ? ` The ${MAX_LISTED} oldest of ${open.length} invoices are listed.` : '';
  return [
    `${organization} has not received your payment of ${totals.join(' and ')} yet.${more} If you have paid in the last days, ignore this mail.`,
    'Services of an account with an unpaid invoice may be suspended.',
  ];
}
