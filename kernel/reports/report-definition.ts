import type { EntityClass } from '@mikro-orm/core';
import type { Permission } from '../access/principal.ts';
import type { EntityManager } from '../database/database.ts';
import type { Resource } from '../errors/resource.ts';
import type { ReportRecord } from './report-record.ts';

/** The file of a report, and its number of rows. */
export interface ReportContent {
  content: Buffer;
  rows: number;
}

/** Stores how much of a report is finished, as a number from 0 to 1. */
export type ReportProgress = (share: number) => Promise<void>;

/** A signed URL of a report's file, and the minimum number of hours for which it is valid. */
export interface ReportLink {
  url: string;
  hours: number;
}

/** Declares the reports of a domain. `ReportEngine` implements everything that is the same for all domains. */
export interface ReportDefinition<R extends ReportRecord> {
  /** Name of the domain. The queues are named after it. */
  domain: string;
  entity: EntityClass<R>;
  /** Name of the reports in 404 errors. */
  resource: Resource;
  /** Permission to read the reports. An expired link names it. */
  permission: Permission;
  /** Returns the URL path of a report's file. */
  pathOf(id: string): string;
  /** Builds the file of a report. It may run more than once for a report, and must not change records. */
  build(report: R, progress: ReportProgress): Promise<ReportContent>;
  /** Called in the transaction that marks a report as ready, for example to send a mail. */
  onReady?(tx: EntityManager, report: R, link: ReportLink): Promise<void>;
}
