import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { ReportDefinition, ReportProgress } from '../../../kernel/reports/report-definition.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { type Cell, Figures } from '../analytics/figures.ts';
import type { NotificationSender } from '../notifications/notification-sender.ts';
import { Report } from './report.entity.ts';
import { mailAbout } from './report.mails.ts';
import { ReportMetric } from './report.values.ts';
import { contentOf } from './report-content.ts';

/**
 * Length of the periods into which the date range of a report is split. One query counts the tickets of one period. The
 * progress of the report is updated after each query.
 */
const PERIOD_MS = 7 * DAY_MS;
/** Actor that is recorded as the sender of the mail about a finished report. */
const ACTOR = { kind: 'system', id: 'support.report' } as const;

/** Declares the reports of the support domain: figures about tickets, and a mail when the file is ready. */
export const ticketReports = ({
  rows,
  clock,
  sender,
}: {
  rows: Rows;
  clock: Clock;
  sender: NotificationSender;
}): ReportDefinition<Report> => ({
  domain: 'support',
  entity: Report,
  resource: 'support_report',
  permission: 'support:read',
  pathOf: (id) => `/v1/support/reports/${id}/file`,
  build: async (report, progress) => contentOf(report, await countTickets(rows, report, progress), clock.now()),
  onReady: async (tx, report, link) => {
    const { notificationEmail: address } = report.delivery;
    if (!address) return;
    const { id } = await sender.sendMail(tx, report.organizationId, { contacts: [{ address }] }, mailAbout(report, link), ACTOR);
    report.notificationId = id;
  },
});

/** Counts the tickets of one week after the other, so that each statement is short and the progress can be updated. */
async function countTickets(rows: Rows, { organizationId, parameters }: Report, progress: ReportProgress): Promise<Cell[]> {
  const { dateRange, filters, metrics, timezone } = parameters;
  const [start, end] = [new Date(dateRange?.start ?? 0).getTime(), new Date(dateRange?.end ?? 0).getTime()];
  const figures = new Figures(rows, { organizationId, accounts: null });
  const withTimeline = metrics?.includes(ReportMetric.FIRST_CONTACT_RESOLUTION) ?? false;
  const cells: Cell[] = [];
  for (let from = start; from < end; from += PERIOD_MS) {
    const to = Math.min(from + PERIOD_MS, end);
    const cohort = {
      start: new Date(from),
      end: new Date(to),
      timezone: timezone ?? 'UTC',
      customerIds: filters?.customerIds ?? [],
      categories: filters?.categories ?? [],
      priorities: filters?.priorities ?? [],
    };
    cells.push(...(await figures.cells(cohort, { withTimeline })));
    await progress((to - start) / (end - start));
  }
  return cells;
}
