import type { RecordScope } from '../../../kernel/access/principal.ts';
import { type AnalyticsRange, analyzedAccounts } from '../../../kernel/analytics/analytics-scope.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { IncidentAnalytics, IncidentFigures } from './analytics.types.ts';

/** Reads figures about incidents for an analysis (specification 4.6). */
export async function incidentAnalytics(rows: Rows, scope: RecordScope, range: AnalyticsRange): Promise<IncidentAnalytics> {
  const [now, before] = await Promise.all([figuresOf(rows, scope, range, range.period), figuresOf(rows, scope, range, range.before)]);
  return { ...now, before };
}

/** An incident without a service belongs to the organization, so an analysis of accounts or services does not count it. */
async function figuresOf(
  rows: Rows,
  scope: RecordScope,
  range: AnalyticsRange,
  { start, end }: { start: Date; end: Date },
): Promise<IncidentFigures> {
  const [row] = await rows.query<IncidentFigures>(
    `select count(*)::int as "opened", count("resolved_at")::int as "resolved",
       (count(*) filter (where "severity" = 'minor'))::int as "minor",
       (count(*) filter (where "severity" = 'major'))::int as "major",
       (count(*) filter (where "severity" = 'critical'))::int as "critical",
       round(avg(greatest(extract(epoch from "identified_at" - "started_at"), 0)) filter (where "identified_at" is not null), 3)::float8 as "meanSecondsToIdentify",
       round(avg(greatest(extract(epoch from "resolved_at" - "started_at"), 0)) filter (where "resolved_at" is not null), 3)::float8 as "meanSecondsToResolve"
     from "monitoring"."incident" i where i."organization_id" = $1 and i."started_at" >= $2 and i."started_at" < $3
       and (($4::text[] is null and $5::text[] is null) or exists (
         select from "monitoring"."incident_service" s where s."incident_id" = i."id" and s."organization_id" = $1
           and ($4::text[] is null or s."account_id" = any($4)) and ($5::text[] is null or s."service_id" = any($5))))`,
    [scope.organizationId, start, end, analyzedAccounts(range, scope), range.serviceIds],
  );
  return row as IncidentFigures;
}
