import { expect, test } from 'vitest';
import { dayAgo, getAnalytics, readAnalytics } from '../analytics.setup.ts';
import { rig } from '../rig.ts';
import type { Json } from '../tenant.ts';

test('every invalid parameter is reported in one response', async () => {
  const tenant = await (await rig()).organization();
  const query = {
    date_range: '24h',
    timezone: 'Mars/Olympus',
    service_ids: Array.from({ length: 51 }, (_, n) => `svc_${n}`).join(),
    nothing: '1',
  };
  for (const path of ['performance', 'usage', 'costs', 'trends']) {
    const { status, body } = await getAnalytics(tenant, path, query);
    expect(status).toBe(400);
    expect(body.error.details.errors.map(({ field }: Json) => field).sort()).toEqual(['date_range', 'nothing', 'service_ids', 'timezone']);
  }
});

test.each([
  '0d',
  '367d',
  '53w',
  '2026-02-30..2026-03-01',
  '2026-03-02..2026-03-01',
  '2024-01-01..2026-01-01',
  '3000-01-01..3000-01-02',
  '0001-01-01..0001-01-02',
  'x',
])('the date range %s is refused', async (date_range) => {
  const { status, body } = await getAnalytics(await (await rig()).organization(), 'usage', { date_range });
  expect([status, body.error.details.errors?.[0]?.field ?? body.error.details.field]).toEqual([400, 'date_range']);
});

test('the period before has the same number of days, also over a change of clocks', async () => {
  const tenant = await (await rig()).organization();
  const { period } = await readAnalytics(tenant, 'usage', { date_range: '2026-03-29..2026-03-30', timezone: 'europe/berlin' });
  expect(period).toMatchObject({
    start: '2026-03-28T23:00:00.000Z',
    ...{ first_day: '2026-03-29', last_day: '2026-03-30', before_first_day: '2026-03-27', before_last_day: '2026-03-28' },
  });
  const recent = await readAnalytics(tenant, 'usage', { date_range: '2w' });
  expect(recent.period).toMatchObject({
    first_day: dayAgo(13),
    last_day: dayAgo(),
    before_first_day: dayAgo(27),
    before_last_day: dayAgo(14),
  });
  expect(recent.usage.by_day).toHaveLength(14);
});
