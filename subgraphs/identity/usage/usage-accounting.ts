import type { Logger } from '../../../kernel/log/log.ts';
import { PeriodicFunction } from '../../../kernel/work/periodic-task.ts';
import type { OverageReports } from './overage-reports.ts';

/**
 * Interval of the task that reports overage. It is shorter than the hour that must pass between two reports for the
 * same organization and month, so that a restart of the process delays a report by at most this interval.
 */
const EVERY_MS = 300_000;

/** Creates the periodic task that reports overage to billing. */
export const usageAccounting = ({ overages }: { overages: OverageReports }, log: Logger): PeriodicFunction =>
  new PeriodicFunction({ name: 'identity.usage', everyMs: EVERY_MS, log }, () => overages.report());
