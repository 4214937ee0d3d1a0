import type { Mail } from '../../../kernel/messages/mail.ts';
import { type MailDocument, mailTo } from '../../../kernel/messages/mail-document.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import { minorDigits } from '../../../kernel/values/money.ts';
import type { Budget } from './budget.entity.ts';

/** Returns the mail about a threshold of a budget that was reached. `month` is the first month of the period, such as `2026-01`. */
export function budgetMail(
  budget: Budget,
  to: string,
  { threshold, spent, month }: { threshold: number; spent: Decimal; month: string },
): Mail {
  const { name, amount, currency, period } = budget;
  const inWords = (value: Decimal): string => `${value.toFixed(minorDigits(currency))} ${currency}`;
  const document: MailDocument = {
    paragraphs: [`The costs of your budget have reached ${threshold} percent of its amount. Your services are not affected.`],
    facts: [
      ['Budget', name],
      ['Costs so far', inWords(spent)],
      ['Amount', `${inWords(amount)}, ${period}, from ${month}`],
    ],
  };
  return mailTo({ email: to, name: null }, `Budget ${name}: ${threshold} percent reached`, document);
}
