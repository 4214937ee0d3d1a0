import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, start } from '../rig.ts';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { ownDatabase } from '../support/own-database.ts';

describe.runIf(process.env.TEST_DATABASE_URL)('analytics while a database is unavailable', () => {
  test('the part of a response whose database is lost is null, the other parts have values, and a report is generated later', async () => {
    const proxy = await DatabaseProxy.start((await ownDatabase()) ?? '');
    const platform = await start({ DATABASE_URL: await ownDatabase(), SUPPORT_DATABASE_URL: proxy.url });
    onTestFinished(() => platform.close());
    const tenant = await platform.organization({ plan: 'custom' });
    await tenant.rest('POST', '/support/tickets', { body: { title: 'No light', description: 'Since noon' } });
    proxy.disconnect();
    const { status, body } = await tenant.rest('GET', '/analytics/performance');
    expect([status, body.data.tickets]).toEqual([200, null]);
    expect(body.data).toMatchObject({ availability: { service_count: 0 }, incidents: { opened: 0 }, quality: { services: [] } });
    const trends = (await tenant.rest('GET', '/analytics/trends')).body.data;
    expect([trends.tickets, trends.usage, trends.availability.name]).toEqual([null, [], 'availability']);
    const { errors, data } = await tenant.graphql('{ analytics { tickets { opened } incidents { opened } } }');
    expect([data.analytics, errors?.map(({ extensions }) => extensions.code)]).toEqual([
      { tickets: null, incidents: { opened: 0 } },
      ['SERVICE_UNAVAILABLE'],
    ]);
    const now = platform.clock.now().getTime();
    const date_range = { start: new Date(now - 1000), end: new Date(now) };
    const report = (await tenant.rest('POST', '/analytics/reports', { body: { report_type: 'sla', date_range } })).body.data;
    proxy.reconnect();
    const ready = await eventually(async () => {
      const { data: found } = (await tenant.rest('GET', `/analytics/reports/${report.id}`)).body;
      return found.status === 'ready' && found;
    });
    const { rows } = (await (await fetch(ready.download_url)).json()) as { rows: object[] };
    expect(rows).toMatchObject([{ tickets_opened: 1 }]);
  });
});
