import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Marks the series of metrics that the platform measures. They do not count towards the limit of the plan. The index finds the series of a
 * metric with the most recent samples.
 */
export const measuredSeries = migration('0011-measured-series', [
  `alter table "monitoring"."series" add column "is_measured" boolean not null default false`,
  `create index "series_metric_id_active_at_index" on "monitoring"."series" ("metric_id", "active_at")`,
]);
