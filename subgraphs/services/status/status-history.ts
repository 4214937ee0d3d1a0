import DataLoader from 'dataloader';
import type { Rows } from '../../../kernel/database/database.ts';
import type { ServiceStatus } from '../inventory/service.states.ts';

/** A change of a service's status. */
export interface HistoryEntry {
  from: ServiceStatus | null;
  to: ServiceStatus;
  at: Date;
}

interface Row {
  service_id: string;
  from: ServiceStatus | null;
  to: ServiceStatus;
  created_at: Date | string;
}

/** Loads the status changes of services since a point in time, oldest first. One query serves all services of a request. */
export const statusHistory = (rows: Rows, organizationId: string, since: Date): DataLoader<string, HistoryEntry[]> =>
  new DataLoader(async (serviceIds) => {
    const found = await rows.query<Row>(
      `select "service_id", "from", "to", "created_at" from "services"."service_status_change"
       where "organization_id" = $1 and "service_id" = any($2) and "created_at" >= $3 order by "created_at", "id"`,
      [organizationId, serviceIds, since],
    );
    return serviceIds.map((id) =>
      found.filter((row) => row.service_id === id).map(({ from, to, created_at: at }) => ({ from, to, at: new Date(at) })),
    );
  });
