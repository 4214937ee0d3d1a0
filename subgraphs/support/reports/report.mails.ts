import type { ComposedMail } from '../notifications/notification-composer.ts';
import { RETENTION_DAYS, type Report } from './report.entity.ts';

/** Builds the mail that announces a finished report. The link to the file is valid for `hours` hours. */
export function mailAbout({ id, reportType }: Report, url: string, hours: number): ComposedMail & { template: string } {
  const document = {
    paragraphs: [
      `your report ${reportType} is ready. The link below is valid for ${hours} hours. After that, get the report (${id}) for a new link. The report is deleted after ${RETENTION_DAYS} days.`,
    ],
    link: { label: 'Download the report', url },
  };
  return { template: 'report_ready', subject: `Your report ${reportType} is ready`, document };
}
