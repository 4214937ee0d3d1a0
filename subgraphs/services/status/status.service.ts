import type DataLoader from 'dataloader';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { Service } from '../inventory/service.entity.ts';
import { isInService } from '../inventory/service.states.ts';
import type { ConnectivityProvider, Telemetry } from '../providers/connectivity.provider.ts';
import { healthOf } from './health.ts';
import type { ServiceStatusRecord } from './status.types.ts';
import { type HistoryEntry, statusHistory } from './status-history.ts';
import { uptimePercentage } from './uptime.ts';

const WINDOW_MS = 30 * 24 * 60 * 60 * 1000;

export interface StatusServiceDeps {
  rows: Rows;
  organizationId: string;
  clock: Clock;
  log: Logger;
  connectivity: ConnectivityProvider;
}

/** Computes the status reports of services from their status, their status history and the provider's measurements. */
export class StatusService {
  readonly #now: Date;
  readonly #history: DataLoader<string, HistoryEntry[]>;

  constructor(private readonly deps: StatusServiceDeps) {
    this.#now = deps.clock.now();
    this.#history = statusHistory(deps.rows, deps.organizationId, this.#windowStart);
  }

  async recordOf(service: Service): Promise<ServiceStatusRecord> {
    const [uptime, telemetry] = await Promise.all([this.#uptime(service), this.#telemetry(service)]);
    const { latencyMs = null, bandwidthUtilization = null, packetLoss = null, jitterMs = null, measuredAt = null } = telemetry ?? {};
    return {
      serviceId: service.id,
      status: service.status,
      uptimePercentage: uptime,
      lastIncident: service.lastIncidentAt,
      performanceMetrics: {
        latencyMs,
        bandwidthUtilization,
        packetLoss,
        jitterMs,
        measuredAt,
        simulated: this.deps.connectivity.simulated,
      },
      healthChecks: healthOf(service.status, telemetry),
    };
  }

  get #windowStart(): Date {
    return new Date(this.#now.getTime() - WINDOW_MS);
  }

  async #uptime({ id, status, provisionedAt }: Service): Promise<number | null> {
    if (!provisionedAt) return null;
    const since = provisionedAt > this.#windowStart ? provisionedAt : this.#windowStart;
    const changes = await this.#history.load(id);
    // `from` of the first change in the period is the status at the start of the period
    return uptimePercentage(changes[0]?.from ?? status, changes, since, this.#now);
  }

  /**
   * Returns the measurements of a service. Returns null if the measurements cannot be read, so that the rest of the
   * status report is still returned.
   */
  async #telemetry({ id, status, providerReference, serviceType }: Service): Promise<Telemetry | null> {
    if (!isInService(status)) return null;
    try {
      return await this.deps.connectivity.telemetry({ serviceId: id, reference: providerReference, technology: serviceType }, this.#now);
    } catch (error) {
      this.deps.log.warn({ err: error, service: id }, 'measurements could not be read from the connectivity provider');
      return null;
    }
  }
}
