import type { Logger } from '../../../kernel/log/log.ts';
import { Upkeep } from '../../../kernel/work/upkeep.ts';
import type { OverageReports } from './overage.reports.ts';
import type { RequestUsage } from './request.usage.ts';

/** More often than a month is reported, so that no hour is missed by a restart. */
const EVERY_MS = 300_000;

/** What is done about usage by the clock: overage is handed to billing, and old rows go. */
export const usageAccounting = ({ usage, overages }: { usage: RequestUsage; overages: OverageReports }, log: Logger): Upkeep =>
  new Upkeep({ name: 'identity.usage', everyMs: EVERY_MS, log }, async () => {
    await overages.report();
    await usage.purge();
  });
