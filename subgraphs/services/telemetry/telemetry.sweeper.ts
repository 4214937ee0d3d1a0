import type { Database, Rows } from '../../../kernel/database/database.ts';
import { recordAll } from '../../../kernel/events/outbox.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { Sweeper } from '../../../kernel/records/due.ts';
import { RowMapper } from '../../../kernel/records/row-mapper.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { Service } from '../inventory/service.entity.ts';
import { isInService } from '../inventory/service.states.ts';
import { specOf } from '../products/service-spec.ts';
import type { Observation, ServiceProvider } from '../providers/service.provider.ts';
import { RECENT_MS } from '../samples/sample.ts';
import type { NewSamples, SampleStore } from '../samples/sample-store.ts';
import { measuredEvents } from './measured.events.ts';
import { samplesOf } from './observation.ts';
import { IS_BLOCKED, type Measurement, type SettleDeps, settle, settled } from './settle.ts';

/** Number of services whose measurements a process requests from the provider in parallel. */
const CONCURRENCY = 20;
const BATCH = 200;

export interface TelemetryDeps extends SettleDeps {
  rows: Rows;
  database: Database;
  log: Logger;
  connectivity: ServiceProvider;
  samples: SampleStore;
  /** Interval at which each service is measured, in milliseconds. */
  everyMs: number;
}

/**
 * Measures all services that are in service at an interval. It reads their measurements from the provider, stores them, and updates the
 * status, the alerts and the usage of each service. The time of the next measurement is stored before a service is measured. If a process
 * ends during a measurement, this measurement is missing, but the next measurement is not delayed.
 */
export function telemetrySweeper(deps: TelemetryDeps): Sweeper {
  const { database, clock, log } = deps;
  const query = 'select 1 from "services"."service_measurement" where "due_at" <= $1 order by "due_at" limit 1';
  const poll = new TelemetryPoll(deps);
  return new Sweeper({ name: 'services.telemetry', clock, log, poller: database.poller, query, limit: BATCH }, (now, limit) =>
    poll.run(now, limit),
  );
}

interface ClaimedRow {
  service_id: string;
  organization_id: string;
  measured_at: Date | string | null;
  counter: number | null;
  usage_from: Date | string | null;
  alerts: Measurement['alerts'];
  is_blocked: boolean;
}

/** A service whose measurement is due, and its row in `service_measurement`. This process has claimed the measurement. */
interface Measured {
  measurement: Measurement;
  service: Service;
}

export class TelemetryPoll {
  readonly #services: RowMapper<Service>;

  constructor(private readonly deps: TelemetryDeps) {
    const { orm } = deps;
    this.#services = new RowMapper(orm.getMetadata().get<Service>(Service), orm.em.getPlatform());
  }

  /** Measures at most `limit` due services. Returns the number of measured services. */
  async run(now: Date, limit: number): Promise<number> {
    const claimed = await this.#claim(now, limit);
    if (claimed.length === 0) return 0;
    const services = await this.#load(claimed.map(({ serviceId }) => serviceId));
    const known = claimed.flatMap((measurement): Measured[] => {
      const service = services.get(measurement.serviceId);
      return service ? [{ measurement, service }] : [];
    });
    // a service that is still blocked after a suspension would be measured as down
    const measurable = known.filter(({ measurement, service }) => isInService(service.status) && !measurement.isBlocked);
    await this.deps.samples.write(await this.#observe(measurable, now), (tx, stored) => recordAll(tx, measuredEvents(stored, now)));
    await this.#settle(known, now);
    return claimed.length;
  }

  /** Returns the due services, and sets the time when each is measured next. */
  async #claim(now: Date, limit: number): Promise<Measurement[]> {
    const next = new Date(now.getTime() + this.deps.everyMs);
    const rows = await this.deps.rows.query<ClaimedRow>(
      `update "services"."service_measurement" set "due_at" = $2 where "service_id" in (
         select "service_id" from "services"."service_measurement" where "due_at" <= $1 order by "due_at" limit $3 for update skip locked)
       returning "service_id", "organization_id", "measured_at", "counter", "usage_from", "alerts", ${IS_BLOCKED} as "is_blocked"`,
      [now, next, limit],
    );
    return rows.map((row) => ({
      serviceId: row.service_id,
      organizationId: row.organization_id,
      measuredAt: dateOrNull(row.measured_at),
      counter: row.counter,
      usageFrom: dateOrNull(row.usage_from),
      alerts: row.alerts,
      isBlocked: row.is_blocked,
    }));
  }

  async #load(ids: readonly string[]): Promise<Map<string, Service>> {
    const sql = `select ${this.#services.columns('s')} from "services"."service" s where "id" = any($1)`;
    const rows = await this.deps.rows.tuples(sql, [[...ids]]);
    return new Map(rows.map((row) => this.#services.read(row)).map((service) => [service.id, service]));
  }

  async #observe(measured: readonly Measured[], now: Date): Promise<NewSamples[]> {
    const waiting = [...measured];
    const found: NewSamples[] = [];
    const work = async (): Promise<void> => {
      for (let one = waiting.pop(); one; one = waiting.pop()) {
        const observation = await this.#observation(one, now);
        if (observation) found.push(observation);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return found;
  }

  /** Returns the samples of a service. Null if the provider fails, has no new measurement, or reports an implausible time. */
  async #observation({ measurement, service }: Measured, now: Date): Promise<NewSamples | null> {
    const { organizationId, serviceId, measuredAt, counter } = measurement;
    const { providerReference: reference, name } = service;
    const previous = measuredAt && { measuredAt, counter };
    let observation: Observation | null;
    try {
      observation = await this.deps.connectivity.observe({ serviceId, reference, name, spec: specOf(service), previous }, now);
    } catch (error) {
      this.deps.log.warn({ err: error, service: serviceId }, 'measurements could not be read from the connectivity provider');
      return null;
    }
    if (!observation || (measuredAt && observation.measuredAt <= measuredAt) || !isPlausible(observation, now)) return null;
    const samples = samplesOf(service, observation);
    if (samples.length === 0) return null;
    return {
      organizationId,
      serviceId,
      accountId: service.accountId,
      at: observation.measuredAt,
      previousAt: measuredAt,
      counter: observation.counter,
      samples,
    };
  }

  async #settle(known: readonly Measured[], now: Date): Promise<void> {
    const ids = known.map(({ measurement: { serviceId } }) => serviceId);
    const recent = await this.deps.samples.recent(ids, new Date(now.getTime() - RECENT_MS));
    for (const { measurement, service } of known) {
      const samples = recent.get(service.id) ?? [];
      if (settled(measurement, service, samples, now)) continue;
      try {
        await settle(this.deps, service, samples);
      } catch (error) {
        this.deps.log.error({ err: error, service: service.id }, 'the measurements of a service could not be evaluated and will be again');
      }
    }
  }
}

const dateOrNull = (value: Date | string | null): Date | null => (value === null ? null : new Date(value));

/** Returns true if the time of an observation differs from now by less than a day. Other times must not create partitions of the table. */
const isPlausible = ({ measuredAt }: Observation, now: Date): boolean => Math.abs(now.getTime() - measuredAt.getTime()) < DAY_MS;
