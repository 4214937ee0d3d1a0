import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { billedTenant } from '../billing.setup.ts';
import { entriesOf, logsRequest, metricsRequest, protobuf, samplesOf, sendOtlp } from '../otlp.setup.ts';
import { clock, type Rig, rig } from '../rig.ts';
import { type Json, Tenant } from '../tenant.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const nanos = (msAgo = 1000): string => `${clock.now().getTime() - msAgo}000000`;

const gauge = (name: string, ...dataPoints: Json[]): Json => ({ name, gauge: { dataPoints } });
const point = (asDouble: Json, more: Json = {}): Json => ({ timeUnixNano: nanos(), asDouble, ...more });

describe('OTLP requests', () => {
  test('a request that is sent again stores nothing twice, and the other encoding is the same request', async () => {
    const tenant = await platform.organization();
    const time = nanos();
    const metrics = metricsRequest([gauge('load', { timeUnixNano: time, asDouble: 0.5 })]);
    const sameAsProtobuf = protobuf([
      1,
      protobuf([2, protobuf([2, protobuf([1, 'load'], [5, protobuf([1, protobuf([3, BigInt(time)], [4, 0.5])])])])]),
    ]);
    for (const body of [metrics, metrics, sameAsProtobuf])
      expect(await sendOtlp(tenant, 'metrics', body)).toMatchObject({ status: 200, partial: undefined });
    expect(await samplesOf(tenant)).toHaveLength(1);

    const record = { timeUnixNano: time, body: { stringValue: 'twice in one request' } };
    const asProtobuf = protobuf([1, BigInt(time)], [5, protobuf([1, 'twice in one request'])]);
    const logs = logsRequest([record, record]);
    for (const body of [logs, logs, protobuf([1, protobuf([2, protobuf([2, asProtobuf], [2, asProtobuf])])])])
      expect(await sendOtlp(tenant, 'logs', body)).toMatchObject({ status: 200, partial: undefined });
    expect(await entriesOf(tenant)).toHaveLength(2);
  });

  test('what cannot be stored is rejected as a partial success that states how many and why, and the rest is stored', async () => {
    const tenant = await platform.organization();
    const long = { attributes: [{ key: 'a', value: { stringValue: 'x'.repeat(300) } }] };
    const metrics = [
      gauge('load', point(1), point('NaN'), point('Infinity'), point(2e100), { timeUnixNano: nanos() }),
      gauge('old', point(1, { timeUnixNano: nanos(61 * 60_000) }), point(1, { timeUnixNano: nanos(-6 * 60_000) })),
      gauge('far', point(1, { timeUnixNano: String(2n ** 64n - 1n) }), point(1, { timeUnixNano: '0' })),
      gauge('9lives', point(1)),
      gauge('labels', point(1, long)),
      { name: 'summary', summary: { dataPoints: [{ timeUnixNano: nanos() }] } },
      { name: 'sum', sum: { dataPoints: [point(1)], aggregationTemporality: 1 } },
      gauge('ended', { timeUnixNano: nanos(), flags: 1 }),
    ];
    const response = await sendOtlp(tenant, 'metrics', metricsRequest(metrics));
    expect([response.status, response.partial?.rejected]).toEqual([200, 12]);
    expect(response.partial?.message).toMatch(/4 invalid_value, such as load: .*; .*1 too_old, such as old/);
    expect((await samplesOf(tenant)).map(({ name }) => name)).toEqual(['load']);

    const records = [
      { timeUnixNano: nanos(), body: { stringValue: 'good' } },
      { timeUnixNano: nanos(25 * 3_600_000), body: { stringValue: 'old' } },
      { timeUnixNano: nanos(), body: { stringValue: 'x'.repeat(9000) } },
    ];
    const { status, partial } = await sendOtlp(tenant, 'logs', logsRequest(records));
    expect([status, partial?.rejected]).toEqual([200, 2]);
    expect(partial?.message).toMatch(/too_old: .*; 1 too_large: /);
    expect(await entriesOf(tenant)).toMatchObject([{ message: 'good' }]);
  });

  test('resource attributes become labels as far as a series may have as many, beginning with those that identify', async () => {
    const tenant = await platform.organization();
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`z${String(n).padStart(2, '0')}`, 'x']));
    const attributes = { ...many, 'service.name': 'shop', 'service.instance.id': 'i1', 'process.pid': '7', long: 'x'.repeat(300) };
    const own = [{ key: 'z03', value: { intValue: '12' } }];
    expect(await sendOtlp(tenant, 'metrics', metricsRequest([gauge('load', point(1, { attributes: own }))], attributes))).toMatchObject({
      status: 200,
      partial: undefined,
    });
    const [{ labels = {} } = {} as never] = await samplesOf(tenant);
    expect(Object.keys(labels)).toHaveLength(16);
    expect(labels).toMatchObject({ 'service.name': 'shop', 'service.instance.id': 'i1', z00: 'x', z03: '12' });
    expect(labels).not.toHaveProperty('process.pid');
  });

  test('a service of another organization is rejected, and a limited caller must name a service of its accounts', async () => {
    const { tenant, serviceId, accountId } = await billedTenant();
    const other = await billedTenant();
    const { body } = await tenant.rest('POST', '/auth/api-keys', {
      body: { name: 'limited', permissions: ['monitoring:read', 'monitoring:write'], accounts: [accountId] },
    });
    const limited = new Tenant(tenant.origin, tenant.organizationId, body.api_key.key);
    const metrics = (service?: string): Json =>
      metricsRequest([gauge('load', point(1))], service ? { 'platform.service_id': service } : {});
    const logs = (service?: string): Json =>
      logsRequest([{ timeUnixNano: nanos(), body: { stringValue: 'x' } }], service ? { 'platform.service_id': service } : {});
    for (const [signal, bodyFor] of [
      ['metrics', metrics],
      ['logs', logs],
    ] as const) {
      expect((await sendOtlp(tenant, signal, bodyFor(other.serviceId))).partial?.rejected, signal).toBe(1);
      expect((await sendOtlp(limited, signal, bodyFor())).partial?.rejected, signal).toBe(1);
      expect((await sendOtlp(limited, signal, bodyFor(serviceId))).partial, signal).toBeUndefined();
    }
  });

  test('errors have the form of google.rpc.Status in the encoding of the request', async () => {
    const tenant = await platform.organization();
    const reader = await tenant.limitedTo('monitoring:read');
    const nobody = new Tenant(tenant.origin, '', 'sk_live_nobody');
    for (const signal of ['metrics', 'logs'])
      for (const body of [{}, new Uint8Array()]) {
        const type = body instanceof Uint8Array ? 'application/x-protobuf' : 'application/json';
        const refused = await sendOtlp(reader, signal, body);
        expect([refused.status, refused.error?.code]).toEqual([403, 7]);
        expect(refused.headers.get('content-type')).toMatch(new RegExp(`^${type}`));
        expect(refused.error?.message).toMatch(/\w/);
        const unknown = await sendOtlp(nobody, signal, body);
        expect([unknown.status, unknown.error?.code]).toEqual([401, 16]);
        expect(await sendOtlp(tenant, signal, body)).toMatchObject({ status: 200, partial: undefined });
      }
    expect((await sendOtlp(tenant, 'metrics', {}, { type: 'text/plain' })).status).toBe(415);
    expect((await sendOtlp(tenant, 'metrics', {}, { headers: { 'content-encoding': 'zstd' } })).status).toBe(415);
  });

  test('a request beyond the allowance of the plan is refused with 429, Retry-After, and stores nothing', async () => {
    const tenant = await platform.organization({ plan: 'developer' });
    const points = Array.from({ length: 4990 }, (_, n) => point(1, { timeUnixNano: nanos(n + 1) }));
    for (const name of ['one', 'two'])
      expect((await sendOtlp(tenant, 'metrics', metricsRequest([gauge(name, ...points)]))).status).toBe(200);
    const refused = await sendOtlp(tenant, 'metrics', metricsRequest([gauge('three', ...points.slice(0, 30))]));
    expect([refused.status, refused.error?.code]).toEqual([429, 8]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const records = Array.from({ length: 990 }, (_, n) => ({ timeUnixNano: nanos(n), body: { intValue: String(n) } }));
    expect((await sendOtlp(tenant, 'logs', logsRequest(records))).status).toBe(200);
    const logs = await sendOtlp(tenant, 'logs', logsRequest(records.slice(0, 20)));
    expect([logs.status, logs.error?.code]).toEqual([429, 8]);
    expect(Number(logs.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('hostile OTLP requests', () => {
  test.each([
    ['truncated protobuf', protobuf([1, protobuf([2, 'abc'])]).subarray(0, 4)],
    ['a length beyond the body', Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0x0f)],
    ['a wrong wire type', Uint8Array.of(0x08, 0x01)],
    ['groups within groups', new Uint8Array(100_000).fill(0x1b)],
    ['text that is not UTF-8', protobuf([1, protobuf([2, protobuf([1, protobuf([1, Uint8Array.of(0xff)])])])])],
    ['deep attributes', deepAttribute(10_000)],
  ])('%s is refused with 400', async (_, body) => {
    const tenant = await platform.organization();
    const { status, error } = await sendOtlp(tenant, 'logs', body);
    expect([status, error?.code]).toEqual([400, 3]);
  });

  test.each([
    ['a list instead of an object', []],
    ['a text instead of a list', { resourceMetrics: 'x' }],
    ['a number instead of a text', { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 5 }] }] }] }],
    ['a fraction as a time', metricsRequest([gauge('load', point(1, { timeUnixNano: 1.5 }))])],
    ['a negative time', metricsRequest([gauge('load', point(1, { timeUnixNano: '-1' }))])],
  ])('JSON with %s is refused with 400', async (_, body) => {
    const tenant = await platform.organization();
    const { status, error } = await sendOtlp(tenant, 'metrics', body as Json);
    expect([status, error?.code]).toEqual([400, 3]);
  });

  test('unknown fields are ignored in both encodings', async () => {
    const tenant = await platform.organization();
    expect((await sendOtlp(tenant, 'metrics', { resourceMetrics: [{ sheep: { deep: [1] } }], goat: 1 })).status).toBe(200);
    expect((await sendOtlp(tenant, 'metrics', protobuf([99, 'sheep'], [98, 1.5]))).status).toBe(200);
  });

  test('large bodies are refused with 413 before they are read: too many items, too many parts, and compressed zeros', async () => {
    const tenant = await platform.organization({ plan: 'enterprise' });
    const points = Array.from({ length: 5001 }, () => ({ timeUnixNano: '1' }));
    expect((await sendOtlp(tenant, 'metrics', metricsRequest([gauge('load', ...points)]))).status).toBe(413);
    const records = Array.from({ length: 1001 }, () => ({ timeUnixNano: '1' }));
    expect((await sendOtlp(tenant, 'logs', logsRequest(records))).status).toBe(413);
    // empty messages of two bytes
    const empty = new Uint8Array(1_900_000);
    for (let at = 0; at < empty.length; at += 2) empty[at] = 0x0a;
    expect((await sendOtlp(tenant, 'metrics', empty)).status).toBe(413);
    for (const type of ['application/x-protobuf', 'application/json']) {
      const bomb = new Uint8Array(gzipSync(Buffer.alloc(200 * 1024 ** 2)));
      const { status, error } = await sendOtlp(tenant, 'metrics', bomb, { type, headers: { 'content-encoding': 'gzip' } });
      expect([status, error?.code]).toEqual([413, 3]);
    }
    const { status } = await sendOtlp(tenant, 'metrics', Uint8Array.of(1, 2, 3), { headers: { 'content-encoding': 'gzip' } });
    expect(status).toBe(400);
  });
});

/** A log record with an attribute that is a list in a list, and so on. */
function deepAttribute(depth: number): Uint8Array {
  let value = protobuf([1, 'x']);
  for (let level = 0; level < depth; level += 1) value = protobuf([5, protobuf([1, value])]);
  return protobuf([1, protobuf([2, protobuf([2, protobuf([5, value])])])]);
}
