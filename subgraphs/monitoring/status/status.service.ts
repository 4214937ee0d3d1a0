import { parse } from 'graphql';
import { AVAILABILITY_TARGETS } from '../../../kernel/access/availability-targets.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Graph } from '../../../kernel/graph.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Incident } from '../incidents/incident.entity.ts';
import { overallStatus } from './overall-status.ts';
import type { MonitoringStatus } from './status.types.ts';

const LISTED_INCIDENTS = 20;

const SERVICES = parse(`query MonitoredServices {
  servicesSummary(period: LAST_30_DAYS) { totalServices uptimePercentage byStatus { status count } }
  services(filter: { status: [DOWN, DEGRADED, MAINTENANCE] }, page: { limit: 50 }) { nodes { id name status statusReason } }
  maintenanceWindows(filter: { status: [SCHEDULED] }, sort: [{ field: START, order: ASC }], page: { limit: 1 }) {
    nodes { id serviceId start end title description }
  }
}`);

interface Found {
  servicesSummary: { totalServices: number; uptimePercentage: number | null; byStatus: { status: string; count: number }[] };
  services: { nodes: { id: string; name: string; status: string; statusReason: string | null }[] };
  maintenanceWindows: { nodes: { id: string; serviceId: string; start: string; end: string; title: string | null; description: string }[] };
}

export interface StatusServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
}

/** Computes the overall status of the services that the caller may see (specification 4.6). */
export class StatusService {
  constructor(private readonly deps: StatusServiceDeps) {}

  async read(): Promise<MonitoringStatus> {
    const { em, request, clock, graph } = this.deps;
    const open = { resolvedAt: null };
    const { servicesSummary: summary, services, maintenanceWindows } = await graph.query<Found>(SERVICES, {}, request);
    const openIncidents = await em.find(Incident, open, { orderBy: { createdAt: 'desc', id: 'desc' }, limit: LISTED_INCIDENTS });
    const openIncidentCount = openIncidents.length < LISTED_INCIDENTS ? openIncidents.length : await em.count(Incident, open);
    // the graph has the names of the enum, and REST its values
    const byStatus = summary.byStatus.map(({ status, count }) => ({ status: status.toLowerCase(), count }));
    const [next] = maintenanceWindows.nodes;
    return {
      status: overallStatus(Object.fromEntries(byStatus.map(({ status, count }) => [status, count])), openIncidentCount),
      checkedAt: clock.now(),
      services: {
        total: summary.totalServices,
        byStatus,
        affected: services.nodes.map(({ id: serviceId, name, status, statusReason: reason }) => ({
          serviceId,
          name,
          status: status.toLowerCase(),
          reason,
        })),
      },
      openIncidentCount,
      openIncidents,
      nextMaintenance: next
        ? {
            maintenanceWindowId: next.id,
            serviceId: next.serviceId,
            start: new Date(next.start),
            end: new Date(next.end),
            title: next.title,
            description: next.description,
          }
        : null,
      uptimePercentage: summary.uptimePercentage,
      availabilityTarget: AVAILABILITY_TARGETS[request.principal.plan],
    };
  }
}
