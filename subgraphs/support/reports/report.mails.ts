import type { ComposedMail } from '../notifications/notification-composer.ts';
import { RETENTION_DAYS, type Report } from './report.entity.ts';

/** Tells that a report is ready, with a link to its file that holds for so many hours. */
export function mailAbout({ id, reportType }: Report, url: string, hours: number): ComposedMail & { template: string } {
  const document = {
    paragraphs: [
      `your report ${reportType} is ready. The link below holds for ${hours} hours; after that, read the report (${id}) for a new one. It is kept for ${RETENTION_DAYS} days.`,
    ],
    link: { label: 'Download it', url },
  };
  return { template: 'report_ready', subject: `Your report ${reportType} is ready`, document };
}
