import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../kernel/values/days.ts';
import { chart } from '../metrics.setup.ts';
import { eventually } from '../rig.ts';
import { keptDatabase } from '../support/kept-database.ts';
import { originOf, type RunningProcess, runPlatform } from '../support/process.ts';
import { type Json, Tenant } from '../tenant.ts';

const KEY = `sk_live_${'Test'.repeat(16)}`;
const SETTINGS = { BOOTSTRAP_API_KEY: KEY, SECRET_KEY: 'a secret for tests that is long enough' };
const CLIENTS = 6;
const SIZE = 150;
const KILLS = 4;
/** Longest time between the first request and the kill. Some requests are then confirmed, and others run. */
const KILL_WITHIN_MS = 700;
/** Samples are up to this old. So most of them are late, and rollups are computed all the time. */
const AGE_MS = 50 * MINUTE_MS;
/** Time from the end of a minute to its rollup, and the time in which the rollup begins and ends. */
const ROLLUP_MS = 15_000;
const ROLLUP_TAKES_MS = 1_500;

interface Sample {
  metric: 'load' | 'total';
  type: 'gauge' | 'counter';
  labels: { client: string };
  at: number;
  value: number;
}

/** Sends batch after batch, each with samples that no other batch has, and stores which of them were confirmed. */
class Client {
  readonly samples: Sample[] = [];
  unconfirmed: Sample[][] = [];
  confirmed = 0;
  readonly #times = new Set<number>();

  constructor(private readonly name: string) {}

  async sendUntilKilled(tenant: Tenant, isKilled: () => boolean): Promise<void> {
    while (!isKilled()) {
      const batch = Array.from({ length: SIZE }, (_, index) => this.#sample(index));
      this.samples.push(...batch);
      this.unconfirmed.push(batch);
      if ((await send(tenant, batch).catch(() => undefined)) !== SIZE) return;
      this.unconfirmed.pop();
      this.confirmed += 1;
    }
  }

  /** Sends each batch again that was not confirmed. Each of them was stored as a whole or not at all. */
  async repeat(tenant: Tenant): Promise<void> {
    for (const batch of this.unconfirmed) expect([0, SIZE]).toContain(await send(tenant, batch));
    this.unconfirmed = [];
  }

  #sample(index: number): Sample {
    const newest = Date.now();
    let at = newest;
    while (this.#times.has(at)) at = newest - Math.floor(Math.random() * AGE_MS);
    this.#times.add(at);
    const value = Math.floor(Math.random() * 1000);
    return {
      ...(index % 2 ? { metric: 'load', type: 'gauge' } : { metric: 'total', type: 'counter' }),
      labels: { client: this.name },
      at,
      value,
    };
  }
}

/** Sends samples. Returns how many of them were not stored before. */
async function send(tenant: Tenant, batch: readonly Sample[]): Promise<number> {
  const samples = batch.map(({ at, ...sample }) => ({ ...sample, at: new Date(at) }));
  const { body } = await tenant.rest('POST', '/monitoring/samples', { body: { samples } });
  expect(body.data, JSON.stringify(body)).toMatchObject({ refused: [] });
  expect(body.data.accepted + body.data.duplicates).toBe(SIZE);
  return body.data.accepted;
}

/** The values of each minute or quarter of an hour, by client. Steps without samples are left out. */
type Steps = Record<string, Record<number, number>>;

const AGGREGATIONS = { sum: 'load', count: 'load', increase: 'total' } as const;
type Aggregation = keyof typeof AGGREGATIONS;
const STEPS = { '1m': MINUTE_MS, '15m': 15 * MINUTE_MS };

function wanted(clients: ReadonlyMap<string, Client>, aggregation: Aggregation, stepMs: number): Steps {
  const added = ({ value }: Sample, before: Sample | undefined): number => {
    if (aggregation !== 'increase') return aggregation === 'sum' ? value : 1;
    return before ? (value >= before.value ? value - before.value : value) : 0;
  };
  return Object.fromEntries(
    [...clients].map(([name, { samples }]) => {
      const steps: Record<number, number> = {};
      const inOrder = samples.filter(({ metric }) => metric === AGGREGATIONS[aggregation]).toSorted((one, other) => one.at - other.at);
      for (const [index, sample] of inOrder.entries()) {
        const step = Math.floor(sample.at / stepMs) * stepMs;
        steps[step] = (steps[step] ?? 0) + added(sample, inOrder[index - 1]);
      }
      return [name, steps];
    }),
  );
}

async function found(tenant: Tenant, aggregation: Aggregation, step: string, from: Date): Promise<Steps> {
  const query = { from: from.toISOString(), step, aggregation, group_by: 'client' };
  const { times, series, ...rest }: Json = await chart(tenant, AGGREGATIONS[aggregation], query);
  if (!series) throw new Error(JSON.stringify(rest));
  const entries = ({ values }: Json): [number, number][] =>
    times.flatMap((time: string, index: number) => (values[index] === null ? [] : [[Date.parse(time), values[index]]]));
  return Object.fromEntries(series.map((one: Json) => [one.labels.client, Object.fromEntries(entries(one))]));
}

test('each sample counts once in charts if the platform is repeatedly killed, and clients repeat unconfirmed requests', async () => {
  const { settings, sql } = await keptDatabase(SETTINGS);
  const { DATA_DIR = '', DATABASE_URL = '' } = settings;
  const begin = async (): Promise<[RunningProcess, Tenant]> => {
    const platform = runPlatform(['--data', DATA_DIR, '--port', '0'], { ...SETTINGS, ...(DATABASE_URL && { DATABASE_URL }) });
    return [platform, new Tenant(await originOf(platform), '', KEY)];
  };
  const from = new Date(Date.now() - 2 * HOUR_MS);
  const clients = new Map(Array.from({ length: CLIENTS }, (_, index) => [`${index}`, new Client(`${index}`)]));
  const all = [...clients.values()];
  let [platform, tenant] = await begin();
  const kill = async (): Promise<void> => {
    platform.kill('SIGKILL');
    await platform.exited;
  };
  let unconfirmed = 0;
  for (let round = 0; round < KILLS; round += 1) {
    let killed = false;
    const sending = all.map((client) => client.sendUntilKilled(tenant, () => killed));
    // the first process stores some samples before it is killed, also on a slow machine
    if (round === 0) await eventually(() => all.some(({ confirmed }) => confirmed > 0));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * KILL_WITHIN_MS));
    killed = true;
    await Promise.all([kill(), ...sending]);
    unconfirmed += all.reduce((sum, client) => sum + client.unconfirmed.length, 0);
    [platform, tenant] = await begin();
    await Promise.all(all.map((client) => client.repeat(tenant)));
  }
  // otherwise no kill was in the middle
  expect(unconfirmed).toBeGreaterThan(0);
  expect(all.reduce((sum, client) => sum + client.confirmed, 0)).toBeGreaterThan(0);
  // another kill while the minute of the last samples is rolled up
  const sent = Date.now();
  const rollup = sent - (sent % MINUTE_MS) + MINUTE_MS + ROLLUP_MS;
  await new Promise((resolve) => setTimeout(resolve, rollup - sent + Math.random() * ROLLUP_TAKES_MS));
  await kill();
  [platform, tenant] = await begin();

  const compare = async (): Promise<void> => {
    for (const [step, ms] of Object.entries(STEPS))
      for (const aggregation of Object.keys(AGGREGATIONS) as Aggregation[])
        expect(await found(tenant, aggregation, step, from), `${aggregation} ${step}`).toEqual(wanted(clients, aggregation, ms));
  };
  await eventually(async () => Date.parse((await chart(tenant, 'load')).complete_until) > sent);
  await eventually(() => compare().then(() => true));
  await kill();
  // the charts were not equal by chance while rollups were still computed
  const [{ late, rolled } = { late: -1, rolled: -1 }] = await sql<{ late: number; rolled: number }>(
    `select (select count(*)::int from "monitoring"."late_minute") as "late", (select sum("samples")::int from "monitoring"."rollup_1m"
       where "series_id" in (select s."id" from "monitoring"."series" s where s."labels" ? 'client')) as "rolled"`,
  );
  expect({ late, rolled }).toEqual({ late: 0, rolled: all.reduce((sum, { samples }) => sum + samples.length, 0) });
  [platform, tenant] = await begin();
  await compare();
}, 300_000);
