import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { MessageQueue, type MessageQueueParts } from '../../../kernel/messages/message-queue.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { Budget } from './budget.entity.ts';
import { budgetMail } from './budget.mails.ts';

/** A mail to one address about a threshold that a budget has reached. */
export interface BudgetMailJob {
  organizationId: string;
  budgetId: string;
  to: string;
  threshold: number;
  spent: string;
  /** First month of the budget period, such as `2026-01`. */
  month: string;
}

const RETRIES = { retryLimit: 10, retryDelaySeconds: 5, retryDelayMaxSeconds: 3600 };

type MailParts = Pick<Ports, 'orm' | 'jobs' | 'log' | 'isSuspended'> & Pick<MessageQueueParts<object>, 'mailer' | 'sms'>;

/**
 * Sends the mails about budgets, each in a separate job. If the budget or the address was removed in the meantime, the mail is not sent.
 */
export class BudgetMails {
  readonly #queue: MessageQueue<BudgetMailJob>;

  constructor({ orm, jobs, log, isSuspended, mailer, sms }: MailParts) {
    this.#queue = new MessageQueue({
      ...{ jobs, log, mailer, sms, isSuspended },
      name: 'billing.budget-mail',
      retries: RETRIES,
      idOf: ({ budgetId }) => budgetId,
      async messageOf({ organizationId, budgetId, to, threshold, spent, month }) {
        const budget = await organizationEm(orm, organizationId).findOne(Budget, { id: budgetId });
        if (!budget?.notify.includes(to)) return undefined;
        const mail = budgetMail(budget, to, { threshold, spent: new Decimal(spent), month });
        // a repeated mail has the same id, so that mail programs show it once
        return { ...mail, messageId: `${budgetId}.${month}.${threshold}@budgets` };
      },
    });
  }

  enqueue(tx: EntityManager, job: BudgetMailJob): Promise<void> {
    return this.#queue.enqueue(tx, job);
  }
}
