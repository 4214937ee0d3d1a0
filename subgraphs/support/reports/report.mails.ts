import type { ReportLink } from '../../../kernel/reports/report-definition.ts';
import { RETENTION_DAYS } from '../../../kernel/reports/report-record.ts';
import type { ComposedMail } from '../notifications/notification-composer.ts';
import type { Report } from './report.entity.ts';

/** Builds the mail that announces a finished report. */
export function mailAbout({ id, reportType }: Report, { url, hours }: ReportLink): ComposedMail & { template: string } {
  const document = {
    paragraphs: [
      `your report ${reportType} is ready. The link below is valid for ${hours} hours. After that, get the report (${id}) for a new link. The report is deleted after ${RETENTION_DAYS} days.`,
    ],
    link: { label: 'Download the report', url },
  };
  return { template: 'report_ready', subject: `Your report ${reportType} is ready`, document };
}
