import type { UsageReportPeriod } from './usage.states.ts';

/** Filter of a usage report. */
export interface ReportQuery {
  serviceType?: string | null;
  period?: UsageReportPeriod | null;
  detailed?: boolean | null;
  accountId?: string | null;
  currency?: string | null;
  limit?: number | null;
  offset?: number | null;
}
