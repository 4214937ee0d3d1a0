import type { Mail } from '../../../kernel/messages/mail.ts';
import { mailTo, type Recipient } from '../../../kernel/messages/mail-document.ts';
import { formatAmount, formatDate, type InvoiceDocument } from '../documents/invoice-document.ts';

/** Builds the mail with an invoice. `messageId` is the same at each attempt, so that mail programs show repeated mails as one mail. */
export function invoiceMail(
  recipient: Recipient,
  { number, seller, currency, amount, amountDue, dueDate }: InvoiceDocument,
  pdf: { filename: string; content: Buffer },
  messageId: string,
): Mail {
  const facts = [
    ['Invoice number', number],
    ['Total', `${formatAmount(amount, currency)} ${currency}`],
    ['Amount due', `${formatAmount(amountDue, currency)} ${currency}`],
    ...(amountDue.isZero() ? [] : [['Due', formatDate(dueDate)]]),
  ] as [string, string][];
  const paragraphs = [`your invoice ${number} from ${seller.name} is attached as a PDF.`, ...(seller.footer ? [seller.footer] : [])];
  const mail = mailTo(recipient, `Invoice ${number} from ${seller.name}`, { paragraphs, facts });
  return { ...mail, messageId, attachments: [{ ...pdf, contentType: 'application/pdf' }] };
}
