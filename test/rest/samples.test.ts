import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { REFUSAL_CODES } from '../../rest-bridge/routes/samples.ts';
import { REFUSALS } from '../../subgraphs/monitoring/samples/refusals.ts';
import { billedTenant, createAccount, orderService } from '../billing.setup.ts';
import { clock, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const at = (ms: number, now = clock.now()): string => new Date(now.getTime() + ms).toISOString();

const send = (by: Tenant, samples: readonly Json[]): Promise<RestResponse> => by.rest('POST', '/monitoring/samples', { body: { samples } });

const receiptOf = async (by: Tenant, samples: readonly Json[]): Promise<Json> => {
  const { status, body } = await send(by, samples);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
};

const NONE = { accepted: 0, duplicates: 0, refused: [], refused_total: 0 };

async function valuesOf({ organizationId }: Tenant): Promise<number[]> {
  const stored = await (await rows()).query<{ value: number }>(
    `select s."value" from "monitoring"."sample" s join "monitoring"."series" n on n."id" = s."series_id"
     where n."organization_id" = $1 order by s."at", s."value"`,
    [organizationId],
  );
  return stored.map(({ value }) => value);
}

describe('samples of metrics', () => {
  test('the OpenAPI document lists the codes of all refusals', () => {
    expect(REFUSAL_CODES.toSorted()).toEqual(Object.keys(REFUSALS).toSorted());
  });

  test('samples are stored when the response is sent, and their metrics are listed by name', async () => {
    const tenant = await platform.organization();
    const receipt = await receiptOf(tenant, [
      { metric: 'queue.length', labels: { queue: 'mail' }, at: at(-2000), value: 3 },
      { metric: 'queue.length', labels: { queue: 'sms' }, at: at(-2000), value: 4.5 },
      { metric: 'bytes_sent', type: 'counter', unit: 'By', at: at(-1000), value: 1e12 },
    ]);
    expect(receipt).toEqual({ ...NONE, accepted: 3 });
    expect(await valuesOf(tenant)).toEqual([3, 4.5, 1e12]);
    const { body } = await tenant.rest('GET', '/monitoring/metrics');
    expect(body.data).toMatchObject([
      { name: 'bytes_sent', type: 'counter', unit: 'By', series_count: 1 },
      { name: 'queue.length', type: 'gauge', unit: null, series_count: 2 },
    ]);
  });

  test('a sample that is sent again, in one request or in several, is a duplicate if it has the same value and refused otherwise', async () => {
    const tenant = await platform.organization();
    const one = { metric: 'load', labels: { a: '1', b: '2' }, at: at(-5000), value: 1 };
    const same = { ...one, labels: { b: '2', a: '1' } };
    const other = { ...one, value: 2 };
    expect(await receiptOf(tenant, [one, same, other])).toMatchObject({
      accepted: 1,
      duplicates: 1,
      refused: [{ index: 2, code: 'conflict' }],
    });
    // compared with the stored value, not with the first one of the request
    expect(await receiptOf(tenant, [other, other, same])).toMatchObject({
      accepted: 0,
      duplicates: 1,
      refused: [
        { index: 0, code: 'conflict' },
        { index: 1, code: 'conflict' },
      ],
    });
    expect(await valuesOf(tenant)).toEqual([1]);
  });

  test('of samples with the same series and time that many requests send at once in different orders, exactly one is accepted', async () => {
    const tenant = await platform.organization({ plan: 'custom' });
    const [requests, rounds, count] = [4, 10, 5000];
    // one time for all rounds: their samples must not have the same times
    const now = clock.now();
    const placesOf = (round: number) =>
      Array.from({ length: count }, (_, place) => ({
        metric: 'load',
        labels: { place: `${place % 50}` },
        at: at(-5000 - round * count - place, now),
      }));
    // the series are known, so the requests wait for nothing but each other
    const first = placesOf(rounds).slice(0, 50);
    await receiptOf(
      tenant,
      first.map((place) => ({ ...place, value: 0 })),
    );
    for (let round = 0; round < rounds; round += 1) {
      const places = placesOf(round);
      const receipts = await Promise.all(
        Array.from({ length: requests }, (_, request) => {
          const samples = places.map((place) => ({ ...place, value: request % 2 }));
          return receiptOf(tenant, request % 2 === 0 ? samples.toReversed() : samples);
        }),
      );
      const sum = (field: string): number => receipts.reduce((total, receipt) => total + receipt[field], 0);
      expect(sum('accepted')).toBe(count);
      // half of the requests sent the stored value
      expect(sum('duplicates')).toBe(count * (requests / 2 - 1));
      expect(sum('refused_total')).toBe((count * requests) / 2);
    }
    expect(await valuesOf(tenant)).toHaveLength(count * rounds + first.length);
  });

  test('a sample that breaks a rule is refused with its position, a code and a reason, and the other samples are stored', async () => {
    const tenant = await platform.organization();
    const other = await billedTenant();
    await receiptOf(tenant, [{ metric: 'total', type: 'counter', at: at(-9000), value: 1 }]);
    const refused: [Json, string][] = [
      ['text', 'invalid_sample'],
      [{ metric: 'load', value: 1, colour: 'red' }, 'invalid_sample'],
      [{ metric: 'load', value: 1, type: 'sheep' }, 'invalid_sample'],
      [{ metric: 'load', value: 1, service_id: 5 }, 'invalid_sample'],
      [{ metric: '5load', value: 1 }, 'invalid_metric'],
      [{ value: 1 }, 'invalid_metric'],
      [{ metric: 'load', value: '1' }, 'invalid_value'],
      [{ metric: 'load' }, 'invalid_value'],
      [{ metric: 'load', value: 2e100 }, 'invalid_value'],
      [{ metric: 'load', value: 1, labels: { a: 1 } }, 'invalid_labels'],
      [{ metric: 'load', value: 1, labels: { 'a b': 'c' } }, 'invalid_labels'],
      [{ metric: 'load', value: 1, labels: { a: 'x'.repeat(257) } }, 'invalid_labels'],
      [{ metric: 'load', value: 1, labels: { a: '\u0000' } }, 'invalid_labels'],
      [{ metric: 'load', value: 1, labels: { host: `sk_live_${'a'.repeat(32)}` } }, 'secret_label'],
      [{ metric: 'load', value: 1, labels: { url: 'https://me:secret@example.com' } }, 'secret_label'],
      [{ metric: 'load', value: 1, labels: { card: '4242 4242 4242 4242' } }, 'secret_label'],
      [{ metric: 'load', value: 1, labels: { api_key: 'x' } }, 'secret_label'],
      [{ metric: 'load', value: 1, labels: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`a${n}`, 'b'])) }, 'invalid_labels'],
      [{ metric: 'load', value: 1, at: 'yesterday' }, 'invalid_time'],
      [{ metric: 'load', value: 1, at: at(-61 * 60_000) }, 'too_old'],
      [{ metric: 'load', value: 1, at: at(6 * 60_000) }, 'in_future'],
      [{ metric: 'load', value: 1, service_id: other.serviceId }, 'service_not_found'],
      [{ metric: 'load', value: 1, service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G' }, 'service_not_found'],
      [{ metric: 'total', value: 1, type: 'gauge' }, 'conflicting_type'],
    ];
    const samples = [...refused.map(([sample]) => sample), { metric: 'load', value: 7, at: at(-59 * 60_000) }];
    const receipt = await receiptOf(tenant, samples);
    expect(receipt.refused.map(({ index, code }: Json) => [index, code])).toEqual(refused.map(([, code], index) => [index, code]));
    for (const { reason } of receipt.refused) expect(reason).toMatch(/\w/);
    expect(receipt).toMatchObject({ accepted: 1, refused_total: refused.length });
    expect(await valuesOf(tenant)).toEqual([7, 1]);
  });

  test('a request body without a list of 1 to 5,000 samples is refused completely', async () => {
    const tenant = await platform.organization();
    const sample = { metric: 'load', value: 1 };
    for (const body of [
      undefined,
      [],
      {},
      { samples: [] },
      { samples: Array.from({ length: 5001 }, () => sample) },
      { samples: [sample], more: 1 },
    ]) {
      const { status, body: answer } = await tenant.rest('POST', '/monitoring/samples', { body });
      expect([status, answer.error.code], JSON.stringify(body)?.slice(0, 50)).toEqual([400, 'INVALID_PARAMETERS']);
    }
    const now = clock.now();
    const large = Array.from({ length: 5000 }, (_, n) => ({ ...sample, labels: { n: String(n % 100) }, at: at(-n - 1, now) }));
    expect(await receiptOf(await platform.organization({ plan: 'business' }), large)).toEqual({ ...NONE, accepted: 5000 });
  });

  test('a request body with samples may be compressed with gzip, and is refused if it is larger than 2 MiB after decoding', async () => {
    const tenant = await platform.organization();
    const zipped = (body: Json): Promise<Response> =>
      fetch(`${tenant.origin}/v1/monitoring/samples`, {
        method: 'POST',
        headers: { ...tenant.credentials, 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: new Uint8Array(gzipSync(JSON.stringify(body))),
      });
    const stored = await zipped({ samples: [{ metric: 'load', value: 1 }] });
    expect([stored.status, ((await stored.json()) as Json).data.accepted]).toEqual([200, 1]);
    expect((await zipped({ samples: [{ metric: 'x'.repeat(3 * 1024 ** 2), value: 1 }] })).status).toBe(413);
  });

  test('samples do not count towards the request limits, and a request beyond the sample limit of the plan returns 429', async () => {
    const tenant = await platform.organization({ plan: 'developer' });
    const now = clock.now();
    const batch = (n: number): Json[] =>
      Array.from({ length: 5000 }, (_, index) => ({ metric: 'load', at: at(-n * 10_000 - index, now), value: 1 }));
    const first = await send(tenant, batch(0));
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1000');
    expect((await send(tenant, batch(1))).status).toBe(200);
    const { status, body, headers } = await send(tenant, batch(2).slice(0, 1));
    expect([status, body.error.details.window]).toEqual([429, 'samples']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await valuesOf(tenant)).toHaveLength(10_000);
  });

  test('the plan limits the number of series of an organization, and samples of existing series are still accepted beyond the limit', async () => {
    const tenant = await platform.organization({ plan: 'developer' });
    const ofHost = (n: number, more: object = {}): Json => ({
      metric: 'load',
      labels: { host: `h${n}` },
      at: at(-1000),
      value: n,
      ...more,
    });
    const receipt = await receiptOf(
      tenant,
      Array.from({ length: 1002 }, (_, n) => ofHost(n)),
    );
    expect(receipt).toMatchObject({
      accepted: 1000,
      refused_total: 2,
      refused: [{ code: 'too_many_series' }, { code: 'too_many_series' }],
    });
    expect(await receiptOf(tenant, [ofHost(1, { at: at(-500) }), ofHost(2000)])).toMatchObject({
      accepted: 1,
      refused: [{ index: 1, code: 'too_many_series' }],
    });
  });

  test('a caller who is limited to accounts can send and see only series of services of these accounts', async () => {
    const { tenant, serviceId, accountId } = await billedTenant();
    const { service: other } = await orderService(tenant, (await createAccount(tenant, 'Other')).id);
    const { body } = await tenant.rest('POST', '/auth/api-keys', {
      body: { name: 'limited', permissions: ['monitoring:read', 'monitoring:write'], accounts: [accountId] },
    });
    const limited = new Tenant(tenant.origin, tenant.organizationId, body.api_key.key);
    await receiptOf(tenant, [
      { metric: 'other', service_id: other.id, at: at(-1000), value: 1 },
      { metric: 'none', at: at(-1000), value: 1 },
    ]);
    const receipt = await receiptOf(limited, [
      { metric: 'own', service_id: serviceId, at: at(-1000), value: 1 },
      { metric: 'other', service_id: other.id, at: at(-900), value: 1 },
      { metric: 'none', at: at(-900), value: 1 },
    ]);
    expect(receipt).toMatchObject({ accepted: 1, refused: [{ code: 'service_not_found' }, { code: 'service_required' }] });
    // the platform measures the services too
    const sent = async (by: Tenant): Promise<string[]> =>
      (await by.rest('GET', '/monitoring/metrics')).body.data
        .map(({ name }: Json) => name)
        .filter((name: string) => ['own', 'other', 'none'].includes(name));
    expect(await sent(limited)).toEqual(['own']);
    expect(await sent(tenant)).toEqual(['none', 'other', 'own']);
  });

  test('sending samples without monitoring:write returns 403', async () => {
    const reader = await (await platform.organization()).limitedTo('monitoring:read');
    const { status, body } = await send(reader, [{ metric: 'load', value: 1 }]);
    expect([status, body.error.details.required]).toEqual([403, 'monitoring:write']);
  });
});
