import { OverallStatus } from './status.states.ts';

/** Numbers of services in each status, such as `{ operational: 3 }`. */
export type ServiceCounts = Readonly<Record<string, number>>;

/** Returns the overall status of all services. Services that are not in service are ignored. */
export function overallStatus(counts: ServiceCounts, openIncidents: number): OverallStatus {
  const { operational = 0, degraded = 0, down = 0, maintenance = 0 } = counts;
  if (down > 0) return 2 * down >= operational + degraded + down + maintenance ? OverallStatus.MAJOR_OUTAGE : OverallStatus.PARTIAL_OUTAGE;
  if (degraded > 0 || openIncidents > 0) return OverallStatus.DEGRADED;
  return maintenance > 0 ? OverallStatus.MAINTENANCE : OverallStatus.OPERATIONAL;
}
