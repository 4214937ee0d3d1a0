import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Mailer } from '../../../kernel/messages/mail.ts';
import { MessageQueue } from '../../../kernel/messages/message-queue.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { Alert } from './alert.entity.ts';
import { type AlertMailContent, alertMail } from './alert.mails.ts';

/** A mail about an alert to one address. */
export interface AlertMailJob extends AlertMailContent {
  organizationId: string;
  alertId: string;
  to: string;
}

const RETRIES = { retryLimit: 10, retryDelaySeconds: 5, retryDelayMaxSeconds: 3600 };

export type MailParts = Pick<Ports, 'orm' | 'jobs' | 'log' | 'isSuspended'> & { mailer: Mailer };

/** Sends the mails of alerts, each in a separate job. If the alert or the address was removed in the meantime, the mail is not sent. */
export class AlertMails {
  readonly #queue: MessageQueue<AlertMailJob>;

  constructor({ orm, jobs, log, isSuspended, mailer }: MailParts) {
    this.#queue = new MessageQueue({
      ...{ jobs, log, mailer, isSuspended },
      name: 'monitoring.alert-mail',
      retries: RETRIES,
      idOf: ({ alertId }) => alertId,
      async messageOf({ organizationId, alertId, to, ...content }) {
        const alert = await organizationEm(orm, organizationId).findOne(Alert, { id: alertId });
        if (!alert?.notify.includes(to)) return undefined;
        // a repeated mail has the same id, so that mail programs show it once
        return { ...alertMail(alert, to, content), messageId: `${alertId}.${Date.parse(content.at)}.${content.kind}@alerts` };
      },
    });
  }

  enqueue(tx: EntityManager, jobs: readonly AlertMailJob[]): Promise<void> {
    return this.#queue.enqueueAll(tx, jobs);
  }
}
