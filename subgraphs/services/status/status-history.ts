import DataLoader from 'dataloader';
import type { Rows } from '../../../kernel/database/database.ts';
import type { ServiceStatus } from '../inventory/service.states.ts';

/** A change of status within a time. */
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

/** The status changes of a service since a moment, oldest first; one statement for all services of a request. */
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
