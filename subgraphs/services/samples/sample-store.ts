import type { EntityManager, Rows } from '../../../kernel/database/database.ts';
import type { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';
import type { Measurements, Metric, Sample, SampleState } from './sample.ts';

/** The samples from one observation of a service. */
export interface NewSamples {
  organizationId: string;
  serviceId: string;
  accountId: string;
  at: Date;
  /** Time of the previous sample of the service. Null if the observation is the first. */
  previousAt: Date | null;
  /** Value of the provider's byte counter. */
  counter: number | null;
  /** One sample of the whole service, and one sample of each of its sites. */
  samples: readonly Sample[];
}

/** A range of time from `start` (inclusive) to `end` (exclusive). */
export interface TimeRange {
  start: Date;
  end: Date;
}

/** Callback for further work in the transaction that has stored samples. */
type OnStored = (tx: EntityManager, batch: readonly NewSamples[]) => Promise<void>;

/** Stores and reads the measurements of services. */
export interface SampleStore {
  /**
   * Stores the samples of several services in one transaction. The samples of a service are ignored if another process has stored samples
   * of it since `previousAt`. So all traffic is counted once. `stored` is called in the transaction with the samples that were not ignored.
   */
  write(batch: readonly NewSamples[], stored?: OnStored): Promise<void>;

  /** Returns the samples of each service as a whole since a time, by service id. The newest sample of a service is first. */
  recent(serviceIds: readonly string[], since: Date): Promise<Map<string, Sample[]>>;

  /** Returns the samples of the sites of each service since a time, by service id. The newest sample of a service is first. */
  recentSites(serviceIds: readonly string[], since: Date): Promise<Map<string, Sample[]>>;

  /**
   * Returns the averages of a series for each interval of a range that has samples, oldest first. Intervals begin at
   * multiples of their length since 1970.
   */
  averages(series: Series, range: TimeRange, intervalMs: number): Promise<SampleAverage[]>;

  /** Returns the statistics of a series in a range: the number of samples, the traffic, and the figures of each measurement. */
  figures(series: Series, range: TimeRange): Promise<SampleFigures>;
}

/** The samples of a service, or of one of its sites. */
export interface Series {
  serviceId: string;
  /** Id of the site. Empty for the service as a whole. */
  siteId: string;
}

/** Averages of the samples in an interval, their worst state, and their traffic. */
export interface SampleAverage extends Measurements {
  start: Date;
  state: SampleState;
  transferredBytes: number | null;
}

/** Statistics of one measurement. They are null if no sample contains the measurement. */
export interface Figures {
  min: number | null;
  avg: number | null;
  max: number | null;
  /** 95th percentile: the smallest value that is at least as high as 95 % of all values. */
  p95: number | null;
}

export interface SampleFigures extends Record<Metric, Figures> {
  /** Number of samples in the range. */
  samples: number;
  transferredBytes: number | null;
}

interface SampleRow {
  service_id: string;
  site_id: string;
  at: Date | string;
  state: SampleState;
  latency_ms: number | null;
  bandwidth_utilization: number | null;
  packet_loss: number | null;
  jitter_ms: number | null;
  security_incidents: number;
  transferred_bytes: number | null;
}

/** Stores samples in the table `service_sample`, which has a partition for each day. */
export class SampleTable implements SampleStore {
  constructor(
    private readonly rows: Rows,
    private readonly partitions: DailyPartitions,
  ) {}

  async write(batch: readonly NewSamples[], stored?: OnStored): Promise<void> {
    if (batch.length === 0) return;
    const rows = batch.flatMap(({ organizationId, previousAt, counter, samples }) =>
      samples.map((sample) => ({ ...rowOf(sample), organization_id: organizationId, previous_at: previousAt, counter })),
    );
    await this.partitions.writing(
      batch.map(({ at }) => at),
      async (tx) => {
        const found = await tx.execute<{ service_id: string }[]>(WRITE, [JSON.stringify(rows)]);
        const ids = new Set(found.map(({ service_id: id }) => id));
        await stored?.(
          tx,
          batch.filter(({ serviceId }) => ids.has(serviceId)),
        );
      },
    );
  }

  recent(serviceIds: readonly string[], since: Date): Promise<Map<string, Sample[]>> {
    return this.#since(`"site_id" = ''`, serviceIds, since);
  }

  recentSites(serviceIds: readonly string[], since: Date): Promise<Map<string, Sample[]>> {
    return this.#since(`"site_id" <> ''`, serviceIds, since);
  }

  async averages({ serviceId, siteId }: Series, { start, end }: TimeRange, intervalMs: number): Promise<SampleAverage[]> {
    const rows = await this.rows.query<AverageRow>(
      `select floor(extract(epoch from "at") * 1000 / $5)::float8 * $5 as "start", ${AVERAGES},
         sum("transferred_bytes")::float8 as "transferred_bytes",
         case when bool_or("state" = 'down') then 'down' when bool_or("state" = 'degraded') then 'degraded' else 'up' end as "state"
       from "services"."service_sample" where "service_id" = $1 and "site_id" = $2 and "at" >= $3 and "at" < $4 group by 1 order by 1`,
      [serviceId, siteId, start, end, intervalMs],
    );
    return rows.map((row) => ({
      start: new Date(Number(row.start)),
      state: row.state,
      latencyMs: row.latency_ms,
      bandwidthUtilization: row.bandwidth_utilization,
      packetLoss: row.packet_loss,
      jitterMs: row.jitter_ms,
      transferredBytes: row.transferred_bytes,
    }));
  }

  async figures({ serviceId, siteId }: Series, { start, end }: TimeRange): Promise<SampleFigures> {
    const [row] = await this.rows.query<Record<string, number | null>>(
      `select count(*)::int as "samples", sum("transferred_bytes")::float8 as "transferred_bytes", ${FIGURES}
       from "services"."service_sample" where "service_id" = $1 and "site_id" = $2 and "at" >= $3 and "at" < $4`,
      [serviceId, siteId, start, end],
    );
    const of = (name: string): number | null => row?.[name] ?? null;
    const figuresOf = (column: string): Figures => ({
      min: of(`${column}_min`),
      avg: of(`${column}_avg`),
      max: of(`${column}_max`),
      p95: of(`${column}_p95`),
    });
    return {
      samples: of('samples') ?? 0,
      transferredBytes: of('transferred_bytes'),
      latencyMs: figuresOf('latency_ms'),
      bandwidthUtilization: figuresOf('bandwidth_utilization'),
      packetLoss: figuresOf('packet_loss'),
      jitterMs: figuresOf('jitter_ms'),
    };
  }

  async #since(condition: string, serviceIds: readonly string[], since: Date): Promise<Map<string, Sample[]>> {
    const found = await this.rows.query<SampleRow>(
      `${SELECT} where "service_id" = any($1) and ${condition} and "at" >= $2 order by "at" desc, "site_id"`,
      [[...serviceIds], since],
    );
    return Map.groupBy(found.map(sampleOf), ({ serviceId }) => serviceId);
  }
}

type AverageRow = Omit<SampleRow, 'service_id' | 'site_id' | 'at' | 'security_incidents'> & { start: number | string };

const COLUMNS = ['latency_ms', 'bandwidth_utilization', 'packet_loss', 'jitter_ms'];
const AVERAGES = COLUMNS.map((column) => `avg("${column}") as "${column}"`).join(', ');
const FIGURES = COLUMNS.map(
  (column) => `min("${column}") as "${column}_min", avg("${column}") as "${column}_avg", max("${column}") as "${column}_max",
    percentile_disc(0.95) within group (order by "${column}") as "${column}_p95"`,
).join(', ');

const SELECT = `
  select "service_id", "site_id", "at", "state", "latency_ms", "bandwidth_utilization", "packet_loss", "jitter_ms",
    "security_incidents", "transferred_bytes"::float8 as "transferred_bytes"
  from "services"."service_sample"`;

/** Reads the samples of a service as a whole since a time within the transaction `tx`. The newest sample is first. */
export async function recentSamples(tx: EntityManager, serviceId: string, since: Date): Promise<Sample[]> {
  const sql = `${SELECT} where "service_id" = ? and "site_id" = '' and "at" >= ? order by "at" desc`;
  return (await tx.execute<SampleRow[]>(sql, [serviceId, since.toISOString()])).map(sampleOf);
}

/**
 * Stores samples, and adds them to the daily sums in `service_sample_day`. Returns the stored services. Ignores the samples of a service if
 * its newest stored sample does not have the time `previous_at`, because another process has stored samples of this service in the
 * meantime.
 */
const WRITE = `
  with "given" as (
    select * from json_to_recordset(?::json) as g("organization_id" text, "service_id" text, "site_id" text, "at" timestamptz, "state" text,
      "latency_ms" float8, "bandwidth_utilization" float8, "packet_loss" float8, "jitter_ms" float8, "security_incidents" int,
      "transferred_bytes" float8, "previous_at" timestamptz, "counter" float8)
  ), "continued" as (
    update "services"."service_measurement" m set "measured_at" = g."at", "counter" = g."counter",
      "usage_from" = coalesce(m."usage_from", date_trunc('hour', g."at", 'UTC'))
    from "given" g
    where m."service_id" = g."service_id" and g."site_id" = '' and m."measured_at" is not distinct from g."previous_at"
    returning m."service_id"
  ), "stored" as (
    insert into "services"."service_sample" ("organization_id", "service_id", "site_id", "at", "state", "latency_ms",
      "bandwidth_utilization", "packet_loss", "jitter_ms", "security_incidents", "transferred_bytes")
    select "organization_id", "service_id", "site_id", "at", "state", "latency_ms", "bandwidth_utilization", "packet_loss",
      "jitter_ms", "security_incidents", round("transferred_bytes")::bigint
    from "given" where "service_id" in (select "service_id" from "continued")
    on conflict do nothing
    returning "organization_id", "service_id", "site_id", "at", "transferred_bytes"
  ), "summed" as (
    insert into "services"."service_sample_day" ("organization_id", "service_id", "day", "samples", "transferred_bytes")
    select "organization_id", "service_id", ("at" at time zone 'UTC')::date, 1, coalesce("transferred_bytes", 0)
    from "stored" where "site_id" = ''
    on conflict ("service_id", "day") do update set "samples" = "service_sample_day"."samples" + 1,
      "transferred_bytes" = "service_sample_day"."transferred_bytes" + excluded."transferred_bytes"
  )
  select "service_id" from "stored" where "site_id" = ''`;

const rowOf = (sample: Sample) => ({
  service_id: sample.serviceId,
  site_id: sample.siteId,
  at: sample.at,
  state: sample.state,
  latency_ms: sample.latencyMs,
  bandwidth_utilization: sample.bandwidthUtilization,
  packet_loss: sample.packetLoss,
  jitter_ms: sample.jitterMs,
  security_incidents: sample.securityIncidents,
  transferred_bytes: sample.transferredBytes,
});

const sampleOf = (row: SampleRow): Sample => ({
  serviceId: row.service_id,
  siteId: row.site_id,
  at: new Date(row.at),
  state: row.state,
  latencyMs: row.latency_ms,
  bandwidthUtilization: row.bandwidth_utilization,
  packetLoss: row.packet_loss,
  jitterMs: row.jitter_ms,
  securityIncidents: row.security_incidents,
  transferredBytes: row.transferred_bytes,
});
