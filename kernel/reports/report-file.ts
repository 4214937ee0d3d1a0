import { ReportFormat } from './report-values.ts';

/** The fields of a report that determine its file. */
export interface ReportFile {
  id: string;
  organizationId: string;
  parameters: { format?: ReportFormat | null };
}

const isCsv = ({ parameters }: ReportFile): boolean => parameters.format === ReportFormat.CSV;

/** Returns the name of a report's file. */
export const fileNameOf = (report: ReportFile): string => `${report.id}.${isCsv(report) ? 'csv' : 'json'}`;

/** Returns the key of a report's file in the file store. */
export const fileKeyOf = (report: ReportFile): string => `reports/${report.organizationId}/${fileNameOf(report)}`;

/** Returns the media type of a report's file. */
export const mediaTypeOf = (report: ReportFile): string =>
  isCsv(report) ? 'text/csv; charset=utf-8; header=present' : 'application/json; charset=utf-8';
