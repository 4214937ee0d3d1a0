import DataLoader from 'dataloader';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { Service } from '../inventory/service.entity.ts';
import { isInService } from '../inventory/service.states.ts';
import { specOf } from '../products/service-spec.ts';
import { type Measurements, RECENT_MS, type Sample } from '../samples/sample.ts';
import type { SampleStore } from '../samples/sample-store.ts';
import { checksOf, healthOf } from './health.ts';
import type { ServiceHealth, ServiceStatusRecord, SiteStatus } from './status.types.ts';
import { type HistoryEntry, statusHistory } from './status-history.ts';
import { uptimePercentage } from './uptime.ts';

const WINDOW_MS = 30 * 24 * 60 * 60 * 1000;

export interface StatusServiceDeps {
  rows: Rows;
  organizationId: string;
  clock: Clock;
  samples: SampleStore;
  /** True if the provider that measures the services is a simulation. */
  isSimulated: boolean;
}

const UNMEASURED: Measurements & Partial<Sample> = { latencyMs: null, bandwidthUtilization: null, packetLoss: null, jitterMs: null };

/** Computes the status reports of services from their status, their status history and their stored measurements. */
export class StatusService {
  readonly #now: Date;
  readonly #history: DataLoader<string, HistoryEntry[]>;
  readonly #newest: DataLoader<string, Sample | null>;
  readonly #sites: DataLoader<string, readonly Sample[]>;

  constructor(private readonly deps: StatusServiceDeps) {
    this.#now = deps.clock.now();
    this.#history = statusHistory(deps.rows, deps.organizationId, this.#windowStart);
    const since = new Date(this.#now.getTime() - RECENT_MS);
    this.#newest = new DataLoader(async (ids) => {
      const found = await deps.samples.recent(ids, since);
      return ids.map((id) => found.get(id)?.[0] ?? null);
    });
    this.#sites = new DataLoader(async (ids) => {
      const found = await deps.samples.recentSites(ids, since);
      return ids.map((id) => found.get(id) ?? []);
    });
  }

  async recordOf(service: Service): Promise<ServiceStatusRecord> {
    const [uptime, sample, sites] = await Promise.all([this.#uptime(service), this.#sampleOf(service), this.#sitesOf(service)]);
    const { latencyMs = null, bandwidthUtilization = null, packetLoss = null, jitterMs = null, at: measuredAt = null } = sample ?? {};
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
        simulated: this.deps.isSimulated,
      },
      healthChecks: healthOf(service.status, sample),
      sites,
    };
  }

  /** Returns the status report of a service, with the reasons of its health checks. */
  async healthOf(service: Service): Promise<ServiceHealth> {
    const [record, sample] = await Promise.all([this.recordOf(service), this.#sampleOf(service)]);
    return { ...record, checks: checksOf(service, record.healthChecks, sample) };
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

  /** Returns the sites of a network with their newest samples. */
  async #sitesOf(service: Service): Promise<SiteStatus[]> {
    const siteIds = specOf(service).places.flatMap(({ id }) => id ?? []);
    if (siteIds.length === 0) return [];
    const samples = isInService(service.status) ? await this.#sites.load(service.id) : [];
    return siteIds.map((siteId) => {
      const { state = null, at: measuredAt = null, ...values } = samples.find((sample) => sample.siteId === siteId) ?? UNMEASURED;
      const { latencyMs, bandwidthUtilization, packetLoss, jitterMs } = values;
      return { siteId, state, latencyMs, bandwidthUtilization, packetLoss, jitterMs, measuredAt };
    });
  }

  /** Returns the newest sample of a service. Null if the sample is too old to show the present state, or the service is not in service. */
  async #sampleOf({ id, status }: Service): Promise<Sample | null> {
    return isInService(status) ? this.#newest.load(id) : null;
  }
}
