import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { follow } from '../events/live.setup.ts';
import { logsRequest, sendOtlp } from '../otlp.setup.ts';
import { clock, eventually, type Rig, start } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';
import { type Json, Tenant } from '../tenant.ts';

const TAIL = 'subscription ($after: String) { logTail(query: "source:ingest", after: $after) { entries { message } dropped position } }';
const SAMPLES = 'subscription { metricSamples(names: ["load"], everySeconds: 1) { series { samples { value } omitted } } }';

describe.runIf(process.env.TEST_DATABASE_URL)('live subscriptions of monitoring in two processes', () => {
  let first: Rig;
  let second: Rig;
  let tenant: Tenant;
  /** The same caller at the second process. */
  let there: Tenant;

  beforeAll(async () => {
    const settings = { DATABASE_URL: await ownDatabase(), DATABASE_POOL_SIZE: '4' };
    first = await start(settings);
    second = await start({ ...settings, PUBLIC_ORIGIN: first.origin });
    tenant = await first.organization({ plan: 'enterprise' });
    there = new Tenant(second.origin, tenant.organizationId, tenant.apiKey);
  });
  afterAll(async () => {
    await second?.close();
    await first?.close();
  });

  test('logTail sends each entry once or counts it, whichever process stores it and in whichever order transactions end', async () => {
    const followed = follow(there, TAIL);
    // the stream has started when it has sent an entry
    await eventually(async () => {
      await sendOtlp(tenant, 'logs', logsRequest([{ body: { stringValue: 'start' } }]));
      return followed.of('logTail').length > 0;
    });
    const received = (): string[] =>
      followed
        .of('logTail')
        .flatMap(({ entries }) => entries.map(({ message }: Json) => message as string).filter((text: string) => text !== 'start'));
    const dropped = (): number => followed.of('logTail').reduce((sum, { dropped: count }) => sum + count, 0);
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 10; n += 1) {
        const records = [{ body: { stringValue: `${writer} ${n}` }, timeUnixNano: `${clock.now().getTime() - writer * 3_600_000}000000` }];
        const { status, partial } = await sendOtlp(writer % 2 ? tenant : there, 'logs', logsRequest(records));
        expect([status, partial]).toEqual([200, undefined]);
        // slower than the limit of 50 entries a second
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    });
    await Promise.all(writers);
    await eventually(() => received().length + dropped() >= 80);
    expect(received().length + dropped()).toBe(80);
    expect(new Set(received()).size).toBe(received().length);
    expect(followed.errors()).toEqual([]);
  });

  test('metricSamples sends each sample once or counts it, whichever process stores it', async () => {
    const followed = follow(there, SAMPLES);
    const sent: number[] = [];
    for (let value = 0; value < 30; value += 1) {
      const samples = [{ metric: 'load', at: new Date(clock.now().getTime()).toISOString(), value }];
      const { body } = await (value % 2 ? tenant : there).rest('POST', '/monitoring/samples', { body: { samples } });
      if (body.data.accepted === 1) sent.push(value);
    }
    const series = (): Json[] => followed.of('metricSamples').flatMap((message) => message.series);
    const values = (): number[] => series().flatMap(({ samples }) => samples.map(({ value }: Json) => value));
    await eventually(() => values().includes(sent.at(-1) as number), 30_000);
    expect(values().length + series().reduce((sum, { omitted }) => sum + omitted, 0)).toBe(sent.length);
    expect(values()).toEqual(values().toSorted((one, other) => one - other));
    expect(followed.errors()).toEqual([]);
  });

  test('metricSamples sends each sample once or counts it, if the samples of two processes arrive in any order of their times', async () => {
    const subscription = SAMPLES.replace('"load"', '"mixed"');
    const now = clock.now().getTime();
    const send = async (by: Tenant, time: number): Promise<void> => {
      const samples = [{ metric: 'mixed', at: new Date(now - time * 1000).toISOString(), value: time }];
      expect((await by.rest('POST', '/monitoring/samples', { body: { samples } })).body.data.accepted).toBe(1);
    };
    // the series exists before the subscriptions, which would otherwise find it when all samples are stored
    await send(tenant, 200);
    const followed = [follow(there, subscription), follow(tenant, subscription)];
    await eventually(() => followed.every((one) => one.of('metricSamples').length > 0));
    // a permutation of 0 … 199, so that most samples are late
    const times = Array.from({ length: 200 }, (_, n) => (n * 73) % 200);
    const writers = [there, tenant].map(async (by, index) => {
      for (const [n, time] of times.entries()) if (n % 2 === index) await send(by, time);
    });
    await Promise.all(writers);
    for (const one of followed) {
      const series = (): Json[] => one.of('metricSamples').flatMap((message) => message.series);
      const values = (): number[] => series().flatMap(({ samples }) => samples.map(({ value }: Json) => value));
      const total = (): number => values().length + series().reduce((sum, { omitted }) => sum + omitted, 0);
      await eventually(() => total() > times.length);
      expect(total()).toBe(times.length + 1);
      expect(new Set(values()).size).toBe(values().length);
      expect(one.errors()).toEqual([]);
    }
  });
});
