import type { EntityManager } from '../../../kernel/database/database.ts';
import { mailTo } from '../../../kernel/messages/mail-document.ts';
import { MessageQueue } from '../../../kernel/messages/message-queue.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { RETENTION_DAYS } from '../../../kernel/reports/report-record.ts';
import type { MailParts } from '../alerts/alert-mail.job.ts';
import { AnalyticsReport } from './analytics-report.entity.ts';

interface ReportMailJob {
  organizationId: string;
  reportId: string;
}

const RETRIES = { retryLimit: 10, retryDelaySeconds: 5, retryDelayMaxSeconds: 3600 };

/** Sends a mail when a report is ready. The link is created when the mail is sent, so that no job contains it. */
export class AnalyticsReportMails {
  readonly #queue: MessageQueue<ReportMailJob>;

  constructor({ orm, jobs, log, isSuspended, mailer }: MailParts, urlOf: (report: AnalyticsReport) => string | null) {
    this.#queue = new MessageQueue({
      ...{ jobs, log, mailer, isSuspended },
      name: 'monitoring.report-mail',
      retries: RETRIES,
      idOf: ({ reportId }) => reportId,
      async messageOf({ organizationId, reportId }) {
        const report = await organizationEm(orm, organizationId).findOne(AnalyticsReport, { id: reportId });
        const url = report && urlOf(report);
        const email = report?.delivery.notificationEmail;
        if (!url || !email) return undefined;
        const { reportType } = report;
        const document = {
          paragraphs: [
            `your report ${reportType} is ready. The link below is valid for a day. After that, get the report (${reportId}) for a new link. The report is deleted after ${RETENTION_DAYS} days.`,
          ],
          link: { label: 'Download the report', url },
        };
        return { ...mailTo({ email, name: null }, `Your report ${reportType} is ready`, document), messageId: `${reportId}@reports` };
      },
    });
  }

  enqueue(tx: EntityManager, { organizationId, id: reportId }: AnalyticsReport): Promise<void> {
    return this.#queue.enqueue(tx, { organizationId, reportId });
  }
}
