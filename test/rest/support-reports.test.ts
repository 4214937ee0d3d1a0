import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { onlyTable, rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const RANGE = { start: '2025-05-01T00:00:00.000Z', end: '2025-06-01T00:00:00.000Z' };
const METRICS = ['resolution_time', 'sla_compliance', 'customer_satisfaction', 'escalation_rate', 'first_contact_resolution'];

const generate = async (tenant: Tenant, body: object): Promise<Json> => {
  const response = await tenant.rest('POST', '/support/reports/generate', { body: { report_type: 'usage', ...body } });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.report;
};
const read = async (tenant: Tenant, id: string): Promise<Json> => (await tenant.rest('GET', `/support/reports/${id}`)).body.report;
const settled = (tenant: Tenant, { id }: { id: string }): Promise<Json> =>
  eventually(async () => {
    const report = await read(tenant, id);
    return report.status !== 'generating' && report;
  });
const fetchFile = (url: string, init?: RequestInit) => fetch(url, init);

async function desk(): Promise<Tenant> {
  const tenant = await platform.organization({ plan: 'custom' });
  const table = await onlyTable('support.ticket');
  for (let index = 0; index < 10; index += 1) {
    const body = { title: 'Down', description: 'No light', category: index % 3 ? 'voice' : 'cloud', priority: index % 2 ? 'high' : 'low' };
    const { id } = (await tenant.rest('POST', '/support/tickets', { body })).body.ticket;
    const change = (changes: object) => tenant.rest('PUT', `/support/tickets/${id}`, { body: changes });
    // ticket 4 gets two responses; the two internal notes of ticket 5 are not responses
    for (const text of ['We look into it', 'It is repaired']) {
      if (index === 4) await change({ customer_update: text });
      if (index === 5) await change({ internal_notes: text });
    }
    if (index < 7) await change({ status: 'resolved' });
    // ticket 2 is reopened and resolved again, so its first resolution did not help
    if (index === 2) for (const status of ['open', 'resolved']) await change({ status });
    if (index === 8) await change({ status: 'escalated' });
    const created = Date.parse(RANGE.start) + index * 3.3 * DAY_MS;
    await table.set('created_at', new Date(created).toISOString(), 'id', id);
    if (index < 7) await table.set('resolved_at', new Date(created + (index + 1) * HOUR_MS).toISOString(), 'id', id);
    if (index % 4 === 0) await table.set('response_breached_at', RANGE.end, 'id', id);
  }
  return tenant;
}

describe('support reports', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await desk();
  });

  test('a report is generated in the background, and a finished report has a download link to its file', async () => {
    const begun = await generate(tenant, { parameters: { date_range: RANGE, metrics: METRICS, grouping: ['category'] } });
    expect(begun).toMatchObject({
      id: expect.stringMatching(/^report_/),
      status: 'generating',
      download_url: null,
      progress: 0,
      rows: null,
      parameters: { date_range: RANGE, metrics: METRICS, grouping: ['category'], format: 'json', timezone: 'UTC' },
      delivery: { method: 'download', notification_email: null },
    });
    expect(Date.parse(begun.estimated_completion)).toBeGreaterThan(Date.parse(begun.created_at));
    const ready = await settled(tenant, begun);
    expect(ready).toMatchObject({ status: 'ready', progress: 100, rows: 2, error: null, download_url: expect.stringContaining(begun.id) });

    const response = await fetchFile(ready.download_url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${begun.id}.json"`);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const file = (await response.json()) as Json;
    expect(file.totals).toMatchObject({
      total_tickets: 10,
      tickets_resolved: 7,
      tickets_open: 3,
      avg_resolution_time: 4,
      sla_compliance: 70,
      customer_satisfaction: null,
      escalation_rate: 10,
      // 5 of 7 resolved tickets: one of the others was reopened, and one had two responses
      first_contact_resolution: 71.43,
    });
    expect(file.rows.map(({ category, total_tickets: total }: Json) => [category, total])).toEqual([
      ['cloud', 4],
      ['voice', 6],
    ]);
  });

  test('a report contains the same numbers as the dashboard for the same date range', async () => {
    const begun = await generate(tenant, { parameters: { date_range: RANGE, metrics: METRICS, grouping: ['category'] } });
    const file = (await (await fetchFile((await settled(tenant, begun)).download_url)).json()) as Json;
    const { overview, categories } = (await tenant.rest('GET', '/support/analytics/dashboard?date_range=2025-05-01..2025-05-31')).body
      .dashboard;
    for (const [name, value] of Object.entries(overview)) expect([name, file.totals[name]]).toEqual([name, value]);
    expect(
      file.rows.map(({ category, total_tickets: count, avg_resolution_time, sla_compliance }: Json) => ({
        category,
        count,
        avg_resolution_time,
        sla_compliance,
      })),
    ).toEqual(categories);
  });

  test('a report can be filtered, grouped by category and week, and written as CSV', async () => {
    const parameters = {
      date_range: RANGE,
      filters: { categories: ['voice'], priorities: ['high'], customer_ids: [] },
      metrics: ['resolution_time'],
      grouping: ['category', 'week'],
      format: 'csv',
    };
    const ready = await settled(tenant, await generate(tenant, { parameters }));
    const response = await fetchFile(ready.download_url);
    expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
    expect((await response.text()).split('\r\n')).toEqual([
      'category,week,total_tickets,tickets_resolved,tickets_open,avg_resolution_time',
      'voice,2025-W18,1,1,0,2',
      'voice,2025-W20,1,1,0,6',
      'voice,2025-W21,1,0,1,',
      '',
    ]);
    expect(ready.rows).toBe(3);
  });

  test('by default, a report covers the last 30 days with the metrics of its type, or with all metrics for other types', async () => {
    expect((await generate(tenant, { report_type: 'sla_performance' })).parameters.metrics).toEqual(['sla_compliance', 'resolution_time']);
    expect((await generate(tenant, { report_type: 'constructor' })).parameters.metrics).toEqual(METRICS);
    const { parameters } = await generate(tenant, { report_type: 'usage' });
    expect(parameters.metrics).toEqual(METRICS);
    expect(Date.parse(parameters.date_range.end) - Date.parse(parameters.date_range.start)).toBe(30 * DAY_MS);
  });

  test('when a report is finished, one email with a valid download link is sent', async () => {
    const to = `${tenant.organizationId.toLowerCase()}@example.com`;
    const begun = await generate(tenant, { parameters: { date_range: RANGE }, delivery: { method: 'download', notification_email: to } });
    const mail = await eventually(() => platform.mails.find((one) => one.to === to));
    const [url = ''] = /https?:\S+/.exec(mail.text) ?? [];
    expect(url).toContain(begun.id);
    expect((await fetchFile(url)).status).toBe(200);
    expect(platform.mails.filter((one) => one.to === to)).toHaveLength(1);
  });

  test('a report is returned over REST and GraphQL, and reading a report of another organization returns 404', async () => {
    const { id } = await generate(tenant, {});
    await settled(tenant, { id });
    const { body } = await tenant.rest('GET', '/support/reports?limit=1');
    expect(body).toMatchObject({ reports: [{ id, status: 'ready' }], pagination: { limit: 1, page: 1 } });
    const { data } = await tenant.graphql(
      `{ supportReport(id: "${id}") { status progress parameters { metrics format } } supportReports { nodes { id } } }`,
    );
    expect(data.supportReport).toMatchObject({ status: 'READY', progress: 100, parameters: { format: 'JSON' } });
    expect(data.supportReports.nodes.map((one: Json) => one.id)).toContain(id);
    const stranger = await platform.organization();
    expect((await stranger.rest('GET', `/support/reports/${id}`)).status).toBe(404);
    expect((await stranger.rest('GET', '/support/reports')).body.reports).toEqual([]);
  });
});

describe('report download links', () => {
  test('a report download link needs no credentials, and returns 403 if it is changed or after it expires', async () => {
    const tenant = await platform.organization();
    const [one, other] = [await settled(tenant, await generate(tenant, {})), await settled(tenant, await generate(tenant, {}))];
    const url = new URL(one.download_url);
    expect((await fetchFile(url.href)).status).toBe(200);
    expect((await fetchFile(url.href, { method: 'HEAD' })).headers.get('content-length')).toMatch(/^\d+$/);

    const changed = (change: (copy: URL) => void): string => {
      const copy = new URL(url.href);
      change(copy);
      return copy.href;
    };
    const wrong = [
      changed(({ searchParams }) => searchParams.set('expires', String(Number(searchParams.get('expires')) + 1))),
      changed(({ searchParams }) => searchParams.set('signature', 'x')),
      changed(({ searchParams }) => searchParams.delete('signature')),
      changed(({ searchParams }) => searchParams.append('signature', 'x')),
      changed((copy) => {
        copy.search = '';
      }),
      changed((copy) => {
        copy.pathname = copy.pathname.replace(one.id, other.id);
      }),
    ];
    for (const address of wrong) {
      const response = await fetchFile(address);
      expect([response.status, ((await response.json()) as Json).error.code], address).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
    }

    await platform.advance(26 * HOUR_MS);
    expect((await fetchFile(url.href)).status).toBe(403);
    const again = await read(tenant, one.id);
    expect(again.download_url).not.toBe(one.download_url);
    expect((await fetchFile(again.download_url)).status).toBe(200);
  });

  test('a report is deleted after 30 days, and its download link then returns 403', async () => {
    const tenant = await platform.organization();
    const report = await settled(tenant, await generate(tenant, {}));
    expect(Date.parse(report.expires_at) - Date.parse(report.created_at)).toBe(30 * DAY_MS);
    await platform.advance(30 * DAY_MS + HOUR_MS);
    await eventually(async () => (await tenant.rest('GET', `/support/reports/${report.id}`)).status === 404);
    // an older link also returns 403, because it has expired
    expect((await fetchFile(report.download_url)).status).toBe(403);
  });
});

test('a report that cannot be generated after four attempts has the status failed with a reason and no download link', async () => {
  const tenant = await platform.organization();
  const table = await rows();
  await tenant.rest('POST', '/support/tickets', { body: { title: 'Down', description: 'No light' } });
  // simulates a report of an earlier release, with a time zone that PostgreSQL does not support
  const broken = await generate(tenant, {});
  await settled(tenant, broken);
  await table.query(
    `update support.report set status = 'generating', attempts = 3, parameters = jsonb_set(parameters, '{timezone}', '"Mars/Olympus"') where id = $1`,
    [broken.id],
  );
  const store = await platform.assembly.databases.storeOf({ schema: 'test_probe', entities: [], migrations: [] });
  const job = { organizationId: tenant.organizationId, reportId: broken.id };
  await store.orm.em.fork().transactional((tx) => store.jobs.enqueue(tx, 'support.report', job));
  const failed = await settled(tenant, broken);
  expect(failed).toMatchObject({ status: 'failed', download_url: null, error: expect.stringContaining('4 attempts') });
});

test.each([
  ['no type', { report_type: undefined }, ['report_type']],
  ['a type with spaces', { report_type: 'Sla Report' }, ['report_type']],
  [
    'a date range that ends before it starts',
    { parameters: { date_range: { start: RANGE.end, end: RANGE.start } } },
    ['parameters.date_range.end'],
  ],
  ['a date range of ten years', { parameters: { date_range: { start: '2015-01-01', end: '2025-01-01' } } }, ['parameters.date_range.end']],
  ['an unknown metric', { parameters: { metrics: ['happiness'] } }, ['parameters.metrics.0']],
  ['an unknown format', { parameters: { format: 'pdf' } }, ['parameters.format']],
  ['an unknown grouping', { parameters: { grouping: ['agent'] } }, ['parameters.grouping.0']],
  ['an invalid time zone', { parameters: { timezone: 'Mars/Olympus' } }, ['parameters.timezone']],
  ['an offset as time zone', { parameters: { timezone: '+05:30' } }, ['parameters.timezone']],
  ['an invalid email address', { delivery: { notification_email: 'nobody' } }, ['delivery.notification_email']],
  ['an unknown delivery method', { delivery: { method: 'fax' } }, ['delivery.method']],
  ['an unknown field', { format: 'csv' }, ['format']],
])('generating a report with %s returns 400 INVALID_PARAMETERS and names the field', async (_, body, fields) => {
  const tenant = await platform.organization();
  const response = await tenant.rest('POST', '/support/reports/generate', { body: { report_type: 'usage', ...body } });
  expect([response.status, response.body.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
  expect(response.body.error.details.errors.map(({ field }: Json) => field)).toEqual(fields);
  expect((await tenant.rest('GET', '/support/reports')).body.reports).toEqual([]);
});
