import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, dateOf, HOUR_MS } from '../../kernel/values/days.ts';
import { type BilledTenant, billedTenant, createAccount, createInvoice } from '../billing.setup.ts';
import { openIncident } from '../incidents.setup.ts';
import { clock, eventually, type Rig, rig } from '../rig.ts';
import { onlyTable, rows } from '../support/tables.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';

let platform: Rig;
let billed: BilledTenant;
beforeAll(async () => {
  platform = await rig();
  billed = await billedTenant();
});

const ago = (days: number): string => new Date(clock.now().getTime() - days * DAY_MS).toISOString();
const RANGE = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' };

const create = (body: object, by = billed.tenant): Promise<RestResponse> =>
  by.rest('POST', '/analytics/reports', { body: { report_type: 'performance', date_range: { start: ago(10), end: ago(0) }, ...body } });
const find = async (id: string, by = billed.tenant): Promise<RestResponse> => by.rest('GET', `/analytics/reports/${id}`);

/** Creates a report, waits until it is ready, and returns it with the text of its file. */
async function generated(body: object, by = billed.tenant): Promise<{ report: Json; text: string }> {
  const { status, body: created } = await create(body, by);
  expect(status, JSON.stringify(created)).toBe(201);
  const report = await eventually(async () => {
    const { data } = (await find(created.data.id, by)).body;
    return data.status !== 'generating' && data;
  });
  expect(report).toMatchObject({ status: 'ready', progress: 100, error: null });
  return { report, text: await (await fetch(report.download_url)).text() };
}

async function orderTrunk(tenant: Tenant, channels = 1): Promise<string> {
  return (await tenant.rest('POST', '/services', { body: { catalog_id: 'sip_trunking', configuration: { channels } } })).body.data.id;
}

const LIST = `query ($page: PageInput) {
  analyticsReports(page: $page) { nodes { id status reportType downloadUrl } pageInfo { total nextCursor } }
}`;
const DELETE = 'mutation ($id: ID!) { deleteAnalyticsReport(id: $id) { id reportType } }';
const fileOf = (id: string, { organizationId } = billed.tenant): string =>
  join(platform.dataDir, 'files', 'reports', organizationId, `${id}.json`);

describe('analytics reports', () => {
  test('a report is generated in the background, and its link serves the figures that the analytics have', async () => {
    const { tenant, serviceId } = billed;
    const { id } = await openIncident(tenant, { severity: 'major', service_ids: [serviceId] });
    await (await onlyTable('monitoring.incident')).set('started_at', ago(3), 'id', id);
    const { body } = await create({});
    expect(body.data).toMatchObject({
      ...{ status: 'generating', download_url: null, rows: null, report_type: 'performance' },
      parameters: {
        first_day: dateOf(new Date(ago(10))),
        metrics: ['availability', 'latency', 'jitter', 'packet_loss', 'incidents'],
        format: 'json',
      },
      delivery: { method: 'download', notification_email: null },
    });
    const { report, text } = await generated({});
    expect(report.rows).toBe(1);
    const file = JSON.parse(text);
    const [row] = file.rows;
    const query = `date_range=${report.parameters.first_day}..${report.parameters.last_day}`;
    const { availability } = (await tenant.rest('GET', `/analytics/performance?${query}`)).body.data;
    expect(row).toMatchObject({ uptime_percentage: availability.uptime_percentage, availability_target: 99.99, incidents_opened: 1 });
    expect(file).toMatchObject({ report: { id: report.id, report_type: 'performance' }, period: { timezone: 'UTC' }, grouping: [] });
  });

  test('the rows of a report are grouped by service and period, and a CSV has a column for each figure', async () => {
    const own = await billedTenant();
    const events = [
      ['voice_minutes', 2, 1],
      ['voice_minutes', 3, 2],
      ['data_gb', 0.5, 2],
    ].map(([metric, quantity, days], index) => ({
      ...{ id: `event-${index}`, service_id: own.serviceId, metric, quantity, timestamp: ago(days as number) },
    }));
    await own.tenant.rest('POST', '/billing/usage', { body: { events } });
    const date = (days: number): string => ago(days).slice(0, 10);
    const range = { start: `${date(2)}T00:00:00Z`, end: `${date(0)}T00:00:00Z` };
    const { report, text } = await generated(
      { report_type: 'usage', date_range: range, grouping: ['day', 'service'], format: 'csv' },
      own.tenant,
    );
    expect(report).toMatchObject({ rows: 2, parameters: { first_day: date(2), last_day: date(1), grouping: ['day', 'service'] } });
    expect(text).toBe(
      [
        'day,service_id,voice_minutes,data_gb,cloud_storage_gb,api_calls',
        `${date(2)},${own.serviceId},3,0.5,0,0`,
        `${date(1)},${own.serviceId},2,0,0,0`,
        '',
      ].join('\r\n'),
    );
    const weekly = JSON.parse((await generated({ report_type: 'incidents', date_range: RANGE, grouping: ['week'] }, own.tenant)).text);
    expect(weekly.rows.map(({ week }: Json) => week)).toEqual(['2026-W01', '2026-W02', '2026-W03', '2026-W04', '2026-W05']);
  });

  test('the rows of a report are grouped by type of service, and equal the analytics of this type', async () => {
    const own = await billedTenant();
    const trunk = await orderTrunk(own.tenant);
    for (const service_ids of [[own.serviceId], [trunk], [trunk]]) await openIncident(own.tenant, { severity: 'minor', service_ids });
    for (const [index, service_id] of [own.serviceId, trunk].entries()) {
      const events = [{ id: `of-${index}`, service_id, metric: 'api_calls', quantity: 10 + index, timestamp: clock.now() }];
      await own.tenant.rest('POST', '/billing/usage', { body: { events } });
      const ticket = { title: 'Down', description: 'No light', service_affected: service_id };
      await own.tenant.rest('POST', '/support/tickets', { body: ticket });
    }
    const parameters = { report_type: 'custom', metrics: ['incidents', 'usage', 'tickets'], grouping: ['type'] };
    const date_range = { start: ago(1), end: ago(0) };
    const { report, text } = await generated({ ...parameters, date_range }, own.tenant);
    const figures = JSON.parse(text).rows.map((row: Json) => [row.type, row.incidents_opened, row.api_calls, row.tickets_opened]);
    expect(figures).toEqual([
      ['internet', 1, 10, 1],
      ['network', 0, 0, 0],
      ['sip_trunk', 2, 11, 1],
    ]);
    for (const [type, incidents, calls, tickets] of figures) {
      const query = `date_range=${report.parameters.first_day}..${report.parameters.last_day}&type=${type}`;
      const performance = (await own.tenant.rest('GET', `/analytics/performance?${query}`)).body.data;
      const { usage } = (await own.tenant.rest('GET', `/analytics/usage?${query}`)).body.data;
      expect([performance.incidents.opened, usage.total_usage.api_calls, performance.tickets.opened]).toEqual([incidents, calls, tickets]);
      expect(performance).toMatchObject({ type, service_ids: null });
    }
    const some = await generated({ ...parameters, date_range, service_ids: [trunk], format: 'csv' }, own.tenant);
    expect(some.text.split('\r\n').map((line) => line.split(',').slice(0, 2))).toEqual([
      ['type', 'incidents_opened'],
      ['sip_trunk', '2'],
      [''],
    ]);
    const days = { ...date_range, start: ago(3) };
    const daily = await generated({ report_type: 'incidents', date_range: days, grouping: ['day', 'type'] }, own.tenant);
    expect(JSON.parse(daily.text).rows.map(({ day, type }: Json) => [day, type])).toEqual(
      [3, 2, 1, 0].flatMap((count) => ['internet', 'network', 'sip_trunk'].map((type) => [ago(count).slice(0, 10), type])),
    );
  });

  test('a report with costs has the costs of billing, and needs billing:read to create it and to get its file', async () => {
    const own = await billedTenant();
    await createInvoice(own, { quantity: 1, unit_price: 12.34 });
    const month = ago(0).slice(0, 7);
    const date_range = { start: `${month}-01T00:00:00Z`, end: ago(0) };
    const { report, text } = await generated({ report_type: 'costs', date_range, grouping: ['month'] }, own.tenant);
    const { current_month: current } = (await own.tenant.rest('GET', '/billing/cost-analysis')).body.data;
    expect(JSON.parse(text).rows).toEqual([{ month, cost: current.total, currency: 'USD' }]);
    const writer = await own.tenant.limitedTo('analytics:write', 'analytics:read');
    for (const body of [{ report_type: 'costs' }, { report_type: 'custom', metrics: ['incidents', 'costs'] }]) {
      const { status, body: refused } = await create(body, writer);
      expect([status, refused.error.details.required]).toEqual([403, 'billing:read']);
    }
    expect((await create({ report_type: 'custom', metrics: ['incidents'] }, writer)).status).toBe(201);
    expect((await find(report.id, writer)).body.data).toMatchObject({ status: 'ready', download_url: null });
    expect((await create({}, await own.tenant.limitedTo('analytics:read'))).status).toBe(403);
  });

  test('a changed, expired or deleted address serves no file', async () => {
    const { report } = await generated({ report_type: 'incidents' });
    const url = new URL(report.download_url);
    expect((await fetch(url)).headers.get('content-disposition')).toBe(`attachment; filename="${report.id}.json"`);
    const changed = new URL(url);
    changed.searchParams.set('expires', String(Number(url.searchParams.get('expires')) + 3600));
    expect((await fetch(changed)).status).toBe(403);
    const { report: other } = await generated({ report_type: 'incidents' });
    expect((await fetch(String(url).replace(report.id, other.id))).status).toBe(403);
    await (await rows()).query('delete from monitoring.analytics_report where id = $1', [report.id]);
    expect((await fetch(url)).status).toBe(404);
  });

  test('reports are listed newest first, page by page, and only those of the organization', async () => {
    const own = await platform.organization({ plan: 'custom' });
    expect((await own.graphql(LIST)).data.analyticsReports).toEqual({ nodes: [], pageInfo: { total: 0, nextCursor: null } });
    const ids: string[] = [];
    for (const report_type of ['incidents', 'usage', 'costs']) ids.unshift((await generated({ report_type }, own)).report.id);
    const { nodes, pageInfo } = (await own.graphql(LIST, { page: { limit: 2 } })).data.analyticsReports;
    expect(nodes.map(({ id }: Json) => id)).toEqual(ids.slice(0, 2));
    expect(pageInfo.total).toBe(3);
    const { data } = await own.graphql(LIST, { page: { limit: 2, cursor: pageInfo.nextCursor } });
    expect(data.analyticsReports.nodes).toMatchObject([{ id: ids[2], status: 'READY', reportType: 'incidents' }]);
    // without billing:read, the file of a report with costs is not shown
    const reader = await own.limitedTo('analytics:read');
    const shown = (await reader.graphql(LIST)).data.analyticsReports.nodes;
    expect(shown.map(({ downloadUrl }: Json) => downloadUrl !== null)).toEqual([false, true, true]);
    expect((await (await own.limitedTo('billing:read')).graphql(LIST)).errors?.[0]?.extensions.code).toBe('INSUFFICIENT_PERMISSIONS');
    expect((await own.graphql(LIST, { page: { limit: 201 } })).errors?.[0]?.extensions.code).toBe('INVALID_PARAMETERS');
  });

  test('a deleted report is not found, its address serves nothing and its file is deleted', async () => {
    const { report } = await generated({ report_type: 'incidents' });
    expect(existsSync(fileOf(report.id))).toBe(true);
    const stranger = await platform.organization();
    const reader = await billed.tenant.limitedTo('analytics:read', 'services:write');
    for (const [by, code] of [
      [stranger, 'RESOURCE_NOT_FOUND'],
      [reader, 'INSUFFICIENT_PERMISSIONS'],
    ] as const)
      expect((await by.graphql(DELETE, { id: report.id })).errors?.[0]?.extensions.code).toBe(code);
    expect((await fetch(report.download_url)).status).toBe(200);
    const { data } = await billed.tenant.graphql(DELETE, { id: report.id });
    expect(data.deleteAnalyticsReport).toEqual({ id: report.id, reportType: 'incidents' });
    expect([(await find(report.id)).status, (await fetch(report.download_url)).status]).toEqual([404, 404]);
    await eventually(() => !existsSync(fileOf(report.id)));
    expect((await billed.tenant.graphql(DELETE, { id: report.id })).errors?.[0]?.extensions.code).toBe('RESOURCE_NOT_FOUND');
  });

  test('a report that is being generated cannot be deleted', async () => {
    const { report } = await generated({ report_type: 'incidents' });
    const table = await onlyTable('monitoring.analytics_report');
    await table.set('status', 'generating', 'id', report.id);
    const { errors } = await billed.tenant.graphql(DELETE, { id: report.id });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_STATE', details: { from: 'generating' } });
    await table.set('status', 'ready', 'id', report.id);
  });

  test('a report and its file are deleted after 30 days', async () => {
    const own = await platform.organization({ plan: 'custom' });
    const { report } = await generated({ report_type: 'incidents' }, own);
    expect(Date.parse(report.expires_at) - Date.parse(report.created_at)).toBe(30 * DAY_MS);
    await platform.advance(30 * DAY_MS + HOUR_MS);
    await eventually(async () => (await find(report.id, own)).status === 404);
    expect(existsSync(fileOf(report.id, own))).toBe(false);
    expect((await own.graphql(LIST)).data.analyticsReports.nodes).toEqual([]);
  });

  test('a mail with the link is sent when the report is ready', async () => {
    const to = `reports-${billed.serviceId.slice(-6).toLowerCase()}@example.com`;
    const { report } = await generated({ report_type: 'sla', delivery: { notification_email: to } });
    const mail = await eventually(async () => platform.mails.find((one) => one.to === to));
    expect(mail.text).toContain(report.download_url.split('?')[0]);
    const [link = ''] = /http\S+file\?\S+/.exec(mail.text) ?? [];
    expect((await fetch(link)).status).toBe(200);
  });

  test('every invalid field of a report is reported in one response', async () => {
    const { status, body } = await create({
      report_type: 'custom',
      date_range: { start: '2026-02-01T00:00:00Z', end: '2026-01-01T00:00:00Z' },
      grouping: ['day', 'week'],
      timezone: 'Mars/Olympus',
      service_ids: [],
      format: 'pdf',
      delivery: { notification_email: 'nobody' },
      other: 1,
    });
    expect(status).toBe(400);
    expect(body.error.details.errors.map(({ field }: Json) => field).sort()).toEqual([
      ...['date_range.end', 'delivery.notification_email', 'format', 'grouping', 'metrics', 'other', 'service_ids', 'timezone'],
    ]);
  });

  test.each([
    ['metrics', { metrics: ['usage'] }],
    ['metrics', { report_type: 'custom', metrics: ['usage', 'usage'] }],
    ['metrics', { report_type: 'custom', metrics: [] }],
    ['grouping', { report_type: 'costs', grouping: ['week'] }],
    ['grouping', { report_type: 'custom', metrics: ['costs', 'usage'], grouping: ['service', 'day'] }],
    ['grouping', { grouping: ['service', 'service'] }],
    ['grouping', { grouping: ['service', 'type'] }],
    ['grouping', { report_type: 'costs', grouping: ['type', 'week'] }],
    ['date_range.end', { date_range: { start: '2025-01-01T00:00:00Z', end: '2026-01-03T00:00:00Z' } }],
    ['date_range.start', { date_range: { start: '2100-01-01T00:00:00Z', end: '2100-01-03T00:00:00Z' } }],
    ['date_range', { date_range: undefined }],
    ['report_type', { report_type: 'everything' }],
  ])('a report with an invalid %s is refused (%j)', async (field, body) => {
    const { status, body: refused } = await create(body);
    expect(status).toBe(400);
    const { errors = [refused.error.details] } = refused.error.details;
    expect(errors.map((one: Json) => one.field)).toEqual([field]);
  });

  test('a report with more than 1000 rows is refused', async () => {
    const own = await billedTenant();
    const ids = [own.serviceId];
    for (const channels of [1, 2]) ids.push(await orderTrunk(own.tenant, channels));
    const year = { start: '2025-01-01T00:00:00Z', end: '2025-12-31T00:00:00Z' };
    const { status, body } = await create({ report_type: 'incidents', date_range: year, grouping: ['day', 'service'] }, own.tenant);
    expect([status, body.error.details.field ?? body.error.details.errors[0].field]).toEqual([400, 'grouping']);
    const two = { report_type: 'incidents', date_range: year, grouping: ['day', 'service'], service_ids: ids.slice(0, 2) };
    expect((await create(two, own.tenant)).status).toBe(201);
  });

  test('a report of another organization, and one about its accounts or services, is not found', async () => {
    const { report } = await generated({ report_type: 'incidents' });
    const stranger = await platform.organization();
    expect((await find(report.id, stranger)).status).toBe(404);
    expect((await create({ account_id: billed.accountId }, stranger)).status).toBe(404);
    expect((await create({ service_ids: [billed.serviceId] }, stranger)).status).toBe(404);
    const other = (await createAccount(billed.tenant)).id;
    const body = { name: 'Limited', permissions: ['analytics:write', 'analytics:read'], accounts: [other] };
    const { api_key: key } = (await billed.tenant.rest('POST', '/auth/api-keys', { body })).body;
    const limited = new Tenant(billed.tenant.origin, billed.tenant.organizationId, key.key);
    expect([(await find(report.id, limited)).status, (await create({}, limited)).status]).toEqual([403, 403]);
  });
});
