import { beforeAll, expect, test } from 'vitest';
import { billedTenant, createAccount, orderService } from '../billing.setup.ts';
import { clock, eventually, type Rig, rig } from '../rig.ts';
import { type Json, Tenant } from '../tenant.ts';
import { type Followed, follow } from './live.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const SAMPLES = `subscription ($names: [String!]!, $serviceId: ID, $labels: [String!], $everySeconds: Int!, $after: String) {
  metricSamples(names: $names, serviceId: $serviceId, labels: $labels, everySeconds: $everySeconds, after: $after) {
    series { name serviceId labels samples { at value } omitted } seriesTotal gapSince position
  }
}`;

const watch = (by: Tenant, variables: Json): Followed => follow(by, SAMPLES, { everySeconds: 1, ...variables });

const send = async (by: Tenant, samples: readonly Json[]): Promise<void> => {
  const { body } = await by.rest('POST', '/monitoring/samples', { body: { samples } });
  expect(body.data, JSON.stringify(body)).toMatchObject({ refused: [] });
};
const at = (msAgo: number): string => new Date(clock.now().getTime() - msAgo).toISOString();

/** The received values, in their order, each with the labels of its series. */
const valuesIn = (followed: Followed): [Json, number][] =>
  followed
    .of('metricSamples')
    .flatMap(({ series }) => series.flatMap(({ labels, samples }: Json) => samples.map(({ value }: Json) => [labels, value])));
const numbers = (followed: Followed): number[] => valuesIn(followed).map(([, value]) => value);
const until = (followed: Followed, value: number): Promise<unknown> => eventually(() => numbers(followed).includes(value));

test('metricSamples sends the samples of the last 15 minutes, then new ones, also of series that begin later', async () => {
  const tenant = await platform.organization();
  await send(tenant, [
    { metric: 'load', labels: { host: 'a' }, at: at(20 * 60_000), value: 1 },
    { metric: 'load', labels: { host: 'a' }, at: at(5 * 60_000), value: 2 },
    { metric: 'other', at: at(1000), value: 99 },
  ]);
  const all = watch(tenant, { names: ['load', 'later'] });
  const hostB = watch(tenant, { names: ['load'], labels: ['host=b'] });
  await until(all, 2);
  await send(tenant, [
    { metric: 'load', labels: { host: 'a' }, at: at(500), value: 3 },
    { metric: 'load', labels: { host: 'b' }, at: at(400), value: 4 },
    { metric: 'later', at: at(300), value: 5 },
  ]);
  await until(all, 3);
  await eventually(() => numbers(all).includes(4) && numbers(all).includes(5) && numbers(hostB).includes(4), 30_000);
  expect(valuesIn(all).slice(0, 2)).toEqual([
    [{ host: 'a' }, 2],
    [{ host: 'a' }, 3],
  ]);
  expect(valuesIn(hostB)).toEqual([[{ host: 'b' }, 4]]);
  expect(all.of('metricSamples').at(-1)).toMatchObject({ seriesTotal: 3, gapSince: null });
});

test('metricSamples sends nothing of other organizations, and to a limited caller only series of the services of its accounts', async () => {
  const { tenant, serviceId, accountId } = await billedTenant();
  const other = await platform.organization();
  const { service: hidden } = await orderService(tenant, (await createAccount(tenant, 'Other')).id);
  const { body } = await tenant.rest('POST', '/auth/api-keys', {
    body: { name: 'limited', permissions: ['monitoring:read'], accounts: [accountId] },
  });
  const limited = new Tenant(tenant.origin, tenant.organizationId, body.api_key.key);
  const load = (value: number, service?: string): Json => ({ metric: 'load', service_id: service ?? null, at: at(500), value });
  await send(other, [load(1)]);
  await send(tenant, [load(2), load(3, hidden.id), load(4, serviceId)]);
  const [all, own, narrowed, foreign] = [
    watch(tenant, { names: ['load'] }),
    watch(limited, { names: ['load'] }),
    watch(limited, { names: ['load'], serviceId: hidden.id }),
    watch(other, { names: ['load'] }),
  ];
  await Promise.all([until(all, 4), until(own, 4), until(foreign, 1)]);
  expect(numbers(all).toSorted()).toEqual([2, 3, 4]);
  expect([numbers(own), numbers(narrowed), numbers(foreign)]).toEqual([[4], [], [1]]);
});

test('a message has at most 100 samples of a series, and states how many are left out', async () => {
  const tenant = await platform.organization();
  const followed = watch(tenant, { names: ['load'] });
  await send(
    tenant,
    Array.from({ length: 250 }, (_, n) => ({ metric: 'load', at: at(1000 - n), value: n })),
  );
  await eventually(() => numbers(followed).includes(249), 30_000);
  const omitted = followed.of('metricSamples').reduce((sum, { series }) => sum + series[0].omitted, 0);
  expect(numbers(followed).length + omitted).toBe(250);
  expect(numbers(followed).at(-1)).toBe(249);
});

test('a sample that arrives after newer ones is sent once with its own time, if it is at most 15 minutes old', async () => {
  const tenant = await platform.organization();
  const load = (msAgo: number, value: number): Json => ({ metric: 'load', at: at(msAgo), value });
  await send(tenant, [load(2 * 60_000, 1)]);
  const followed = watch(tenant, { names: ['load'] });
  await until(followed, 1);
  await send(tenant, [load(1000, 2)]);
  await until(followed, 2);
  const late = [load(10 * 60_000, 3), load(1500, 4)];
  await send(tenant, [...late, load(20 * 60_000, 99)]);
  await Promise.all([until(followed, 3), until(followed, 4)]);
  // a subscription that begins now has the same samples as new ones, and only once
  const second = watch(tenant, { names: ['load'], everySeconds: 2 });
  await until(second, 4);
  await send(tenant, [load(500, 5)]);
  await send(tenant, [load(60_000, 6)]);
  await Promise.all([followed, second].flatMap((one) => [until(one, 5), until(one, 6)]));
  for (const one of [followed, second]) {
    expect(numbers(one).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
    const series = one.of('metricSamples').flatMap((message) => message.series);
    expect(series.map(({ omitted }: Json) => omitted)).toEqual(series.map(() => 0));
    for (const { samples } of series) {
      const times = samples.map((sample: Json) => sample.at);
      expect(times).toEqual(times.toSorted());
    }
  }
  const sent = followed.of('metricSamples').flatMap(({ series }) => series.flatMap(({ samples }: Json) => samples));
  for (const { value, at: time } of late) expect(sent.find((sample: Json) => sample.value === value)?.at).toBe(time);
});

test('a subscription continues after the position of a message, states a gap after 15 minutes, and refuses other positions', async () => {
  const tenant = await platform.organization();
  await send(tenant, [{ metric: 'load', at: at(1000), value: 1 }]);
  const first = watch(tenant, { names: ['load'] });
  await until(first, 1);
  const { position: after } = first.of('metricSamples').at(-1) as Json;
  first.leave();
  await send(tenant, [{ metric: 'load', at: at(500), value: 2 }]);
  const second = watch(tenant, { names: ['load'], after });
  await until(second, 2);
  expect(numbers(second)).toEqual([2]);
  expect(second.of('metricSamples')[0]?.gapSince).toBeNull();
  await platform.advance(16 * 60_000);
  await send(tenant, [{ metric: 'load', at: at(500), value: 3 }]);
  const third = watch(tenant, { names: ['load'], after });
  await until(third, 3);
  expect(numbers(third)).toEqual([3]);
  expect(third.of('metricSamples')[0]?.gapSince).toEqual(expect.any(String));
  for (const wrong of ['sheep', Buffer.from('[1,[2]]').toString('base64url')]) {
    const refused = watch(tenant, { names: ['load'], after: wrong });
    await eventually(() => refused.isDone() && refused.errors().length > 0);
    expect(refused.errors(), wrong).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS' } }]);
  }
});

test('metricSamples refuses wrong arguments when the stream starts, and a caller without monitoring:read', async () => {
  const tenant = await platform.organization();
  const wrong = watch(tenant, { names: [], everySeconds: 0 });
  const refused = watch(await tenant.limitedTo('monitoring:write'), { names: ['load'] });
  await eventually(() => wrong.isDone() && refused.isDone());
  expect(wrong.errors()).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS', details: { problems_total: 2 } } }]);
  expect(refused.errors()).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }]);
});
