import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { type DateRange, parseDateRange } from '../../../kernel/values/date-range.ts';
import { datesBetween, isoWeek } from '../../../kernel/values/days.ts';
import { periodOf } from '../../../kernel/values/period.ts';
import type { DashboardQuery } from './dashboard.inputs.ts';
import type { SupportDashboard } from './dashboard.types.ts';
import { averageResolutionHours, customerSatisfaction, type Figures, groupedBy, slaCompliance, sumOf } from './figures.ts';

/** Computes the support dashboard (specification 2.7, 4.7) from the current state of the tickets. */
export class DashboardService {
  constructor(
    private readonly rows: Rows,
    private readonly figures: Figures,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the dashboard for a range of dates.
   * @throws InvalidParameters for a time zone that the database does not support
   */
  async read({ customerId, dateRange, timezone }: DashboardQuery): Promise<SupportDashboard> {
    const range = parseDateRange(dateRange) as DateRange;
    const { start, end, firstDay, lastDay } = await periodOf(this.rows, range, timezone, this.clock.now());
    const cells = await this.figures.cells({ start, end, timezone, customerIds: customerId ? [customerId] : undefined });
    const all = sumOf(cells);
    const days = datesBetween(firstDay, lastDay);
    const opened = new Map(groupedBy(cells, ({ day }) => day).map(([day, some]) => [day, sumOf(some).opened]));
    const weeks = new Map(groupedBy(cells, ({ day }) => isoWeek(day)).map(([week, some]) => [week, averageResolutionHours(sumOf(some))]));
    return {
      period: { start, end, timezone },
      overview: {
        totalTickets: all.opened,
        ticketsResolved: all.resolved,
        ticketsOpen: all.opened - all.resolved,
        avgResolutionTime: averageResolutionHours(all),
        slaCompliance: slaCompliance(all),
        customerSatisfaction: customerSatisfaction(all),
      },
      categories: groupedBy(cells, ({ category }) => category).map(([category, some]) => {
        const sums = sumOf(some);
        return { category, count: sums.opened, avgResolutionTime: averageResolutionHours(sums), slaCompliance: slaCompliance(sums) };
      }),
      trends: {
        ticketsPerDay: days.map((date) => ({ date, count: opened.get(date) ?? 0 })),
        resolutionTimeTrend: [...new Set(days.map(isoWeek))].map((week) => ({ week, avgHours: weeks.get(week) ?? null })),
      },
    };
  }
}
