import { scratchFolder } from './scratch-folder.ts';
import '../apps/production.ts';
import 'reflect-metadata';
import pg from 'pg';
import { DailyPartitions } from '../kernel/partitions/daily-partitions.ts';
import { LOGS_LOCK } from '../subgraphs/monitoring/logs/logs.ts';
import { samplePartitions } from '../subgraphs/monitoring/samples/sample-partitions.ts';
import { handWritten, platformOn } from './platform.ts';

/** A request of the monitoring measurements to this process: create organizations or partitions, or return the processor time it has used. */
export type MonitoringQuestion =
  | { organizations: number }
  | { partitions: 'minutes' | 'quarters' | 'logs'; days: number }
  | 'cpu'
  /** Read the series again, for the hand-written handler. */
  | 'series';

export interface BenchOrganization {
  id: string;
  apiKey: string;
}

/** The origins of the platform and of the hand-written handler. */
export interface MonitoringTarget {
  origin: string;
  handOrigin: string;
}

/** Runs the platform and, with the same edge, a hand-written handler that stores samples. */
const { platform, assembly, domains } = await platformOn(process.env.BENCH_DATABASE_URL, scratchFolder());
const { orm } = await assembly.databases.storeOf({ schema: 'monitoring', entities: [], migrations: [] });

const hand = handWritten(assembly, 2 * 1024 ** 2);
const url = process.env.BENCH_DATABASE_URL;
const pool = url === undefined ? undefined : new pg.Pool({ connectionString: url, max: 5 });
const series = new Map<string, number>();

async function readSeries(): Promise<void> {
  const found = await pool?.query<{ id: number; name: string; labels: Record<string, string> }>(
    'select s."id", m."name", s."labels" from "monitoring"."series" s join "monitoring"."metric" m on m."id" = s."metric_id"',
  );
  for (const { id, name, labels } of found?.rows ?? []) series.set(name + JSON.stringify(labels), id);
}

interface SampleBody {
  samples: { metric: string; labels: Record<string, string>; at: string; value: number }[];
}

/** Stores samples of known series with one statement. It does not validate them, and does not report repeated samples. */
hand.post<{ Body: SampleBody }>('/samples', async (request, reply) => {
  const ids: (number | undefined)[] = [];
  const times: string[] = [];
  const values: number[] = [];
  for (const { metric, labels, at, value } of request.body.samples) {
    ids.push(series.get(metric + JSON.stringify(labels)));
    times.push(at);
    values.push(value);
  }
  const stored = await pool?.query({
    name: 'bench.samples',
    text: `insert into "monitoring"."sample" ("series_id", "at", "value")
      select * from unnest($1::int[], $2::timestamptz[], $3::float8[]) on conflict do nothing`,
    values: [ids, times, values],
  });
  return reply.send({ success: true, data: { accepted: stored?.rowCount ?? 0 } });
});
const handOrigin = await hand.listen({ port: 0, host: '127.0.0.1' });

const DAY_MS = 86_400_000;

async function answerTo(question: MonitoringQuestion): Promise<unknown> {
  if (question === 'cpu') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
  if (question === 'series') return readSeries();
  if ('partitions' in question) {
    const { minutes, quarters } = samplePartitions(orm);
    const partitions = { minutes, quarters, logs: new DailyPartitions({ orm, table: 'log_entry', lock: LOGS_LOCK }) }[question.partitions];
    const days = Array.from({ length: question.days + 1 }, (_, day) => new Date(Date.now() - day * DAY_MS));
    return partitions.ensure(days);
  }
  const created: BenchOrganization[] = [];
  while (created.length < question.organizations) {
    const { organization, apiKey } = await domains.identity.createOrganization({ name: 'Bench', plan: 'custom' });
    created.push({ id: organization.id, apiKey });
  }
  return created;
}

process.on('message', (question: MonitoringQuestion) => void answerTo(question).then((answer) => process.send?.({ answer })));
process.once('disconnect', () => process.exit(0));
process.send?.({ answer: { origin: platform.origin, handOrigin } satisfies MonitoringTarget });
