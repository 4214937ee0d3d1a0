import type { OrganizationTables } from '../../kernel/records/organization-data.ts';
import { fileKeyOf, type ReportFile } from '../../kernel/reports/report-file.ts';

const reportFile = ({ id, organization_id: organizationId, parameters }: Readonly<Record<string, unknown>>): string[] => [
  fileKeyOf({ id, organizationId, parameters } as ReportFile),
];

const ofSeries = `"series_id" in (select s."id" from "monitoring"."series" s where s."organization_id" = $1)`;

export const organizationData: OrganizationTables = {
  tables: [
    // millions of rows a day; the export contains their rollups of 15 minutes
    { table: 'sample', where: ofSeries, withheld: 'all', end: 'deleted' },
    { table: 'rollup_1m', where: ofSeries, withheld: 'all', end: 'deleted' },
    { table: 'rollup_15m', where: ofSeries, end: 'deleted' },
    { table: 'late_minute', where: ofSeries, withheld: 'all', end: 'deleted' },
    { table: 'series', withheld: ['digest'], end: 'deleted' },
    { table: 'metric', end: 'deleted' },
    { table: 'log_entry', withheld: ['words', 'stored_by'], end: 'deleted' },
    { table: 'analytics_report', files: reportFile, end: 'deleted' },
    { table: 'alert_transition', end: 'deleted' },
    { table: 'alert_instance', withheld: ['digest'], end: 'deleted' },
    { table: 'alert_ticket', end: 'deleted' },
    { table: 'alert', end: 'deleted' },
    { table: 'incident_counter', withheld: 'all', end: 'deleted' },
    { table: 'incident_alert', end: 'deleted' },
    { table: 'incident_ticket', end: 'deleted' },
    { table: 'incident_update', end: 'deleted' },
    { table: 'incident_service', end: 'deleted' },
    { table: 'incident', end: 'deleted' },
  ],
  others: {
    rollup_state: 'how far the rollups of all organizations are complete',
    component: 'the states of the components that all organizations use',
  },
};
