import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import { onlyTable, rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

const HOUR_MS = 3_600_000;

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

/** Converts a point in time to the date in a time zone. */
const dateIn = (timezone: string, instant: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: timezone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(new Date(instant));

function weekOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + 4 - (day.getUTCDay() || 7));
  const yearBegan = Date.UTC(day.getUTCFullYear(), 0, 1);
  return `${day.getUTCFullYear()}-W${String(Math.ceil(((day.getTime() - yearBegan) / 86_400_000 + 1) / 7)).padStart(2, '0')}`;
}

const hundredths = (value: number) => Math.round(value * 100) / 100;
const percent = (part: number, whole: number) => (whole ? hundredths((100 * part) / whole) : null);

interface Truth {
  category: string;
  created: string;
  resolvedHours: number | null;
  isBreached: boolean;
  rating: number | null;
}

/** Computes the expected dashboard from the tickets that the test created. */
function recount(all: Truth[], timezone: string, first: string, last: string): Json {
  const dates: string[] = [];
  for (let day = Date.parse(first); day <= Date.parse(last); day += 86_400_000) dates.push(new Date(day).toISOString().slice(0, 10));
  const cohort = all.filter(({ created }) => dates.includes(dateIn(timezone, created)));
  const average = (some: Truth[]) => {
    const hours = some.flatMap(({ resolvedHours }) => (resolvedHours === null ? [] : [resolvedHours]));
    return hours.length ? hundredths(hours.reduce((sum, one) => sum + one, 0) / hours.length) : null;
  };
  const compliance = (some: Truth[]) => percent(some.filter(({ isBreached }) => !isBreached).length, some.length);
  const ratings = cohort.flatMap(({ rating }) => (rating === null ? [] : [rating]));
  const resolved = cohort.filter(({ resolvedHours }) => resolvedHours !== null);
  return {
    overview: {
      total_tickets: cohort.length,
      tickets_resolved: resolved.length,
      tickets_open: cohort.length - resolved.length,
      avg_resolution_time: average(cohort),
      sla_compliance: compliance(cohort),
      customer_satisfaction: percent(ratings.filter((rating) => rating >= 4).length, ratings.length),
    },
    categories: [...new Set(cohort.map(({ category }) => category))].sort().map((category) => {
      const some = cohort.filter((one) => one.category === category);
      return { category, count: some.length, avg_resolution_time: average(some), sla_compliance: compliance(some) };
    }),
    trends: {
      tickets_per_day: dates.map((date) => ({ date, count: cohort.filter(({ created }) => dateIn(timezone, created) === date).length })),
      resolution_time_trend: [...new Set(dates.map(weekOf))].map((week) => ({
        week,
        avg_hours: average(cohort.filter(({ created }) => weekOf(dateIn(timezone, created)) === week)),
      })),
    },
  };
}

/** Creates tickets shortly before and after midnight, clock changes and the end of a year in several time zones. */
async function desk(): Promise<{ tenant: Tenant; truth: Truth[] }> {
  const tenant = await platform.organization({ plan: 'custom' });
  const seeds = [
    '2025-03-08T04:59:59Z',
    '2025-03-09T04:30:00Z',
    '2025-03-09T05:00:00Z',
    '2025-03-09T07:30:00Z',
    '2025-03-10T03:59:59Z',
    '2025-03-10T04:00:00Z',
    '2025-03-30T00:30:00Z',
    '2025-03-30T22:30:00Z',
    '2025-04-24T21:59:00Z',
    '2025-04-24T22:00:00Z',
    '2025-11-02T03:59:59Z',
    '2025-11-02T04:30:00Z',
    '2025-11-02T05:30:00Z',
    '2025-11-03T04:59:59Z',
    '2025-11-03T05:00:00Z',
    '2025-12-31T18:29:00Z',
    '2025-12-31T18:31:00Z',
  ];
  const table = await onlyTable('support.ticket');
  const store = await rows();
  const truth: Truth[] = [];
  for (const [index, created] of seeds.entries()) {
    const category = ['voice', 'cloud', 'billing'][index % 3] as string;
    const { body } = await tenant.rest('POST', '/support/tickets', { body: { title: 'Down', description: 'No light', category } });
    const { id } = body.ticket;
    const resolvedHours = index % 4 === 3 ? null : 1.25 + index * 1.5;
    const isBreached = index % 5 === 2;
    const rating = resolvedHours !== null && index % 2 === 0 ? 1 + (index % 5) : null;
    if (resolvedHours !== null) await tenant.rest('PUT', `/support/tickets/${id}`, { body: { status: 'resolved' } });
    // set after the status, because the API would not resolve a ticket that is this old
    await table.set('created_at', created, 'id', id);
    if (resolvedHours !== null)
      await table.set('resolved_at', new Date(Date.parse(created) + resolvedHours * HOUR_MS).toISOString(), 'id', id);
    if (isBreached) await table.set(index % 2 ? 'response_breached_at' : 'resolution_breached_at', created, 'id', id);
    if (rating !== null)
      await store.query(
        `insert into support.feedback (id, organization_id, ticket_id, rating, author_kind, author_id, created_at, updated_at) values ($1, $2, $3, $4, 'user', 'user_1', $5, $5)`,
        [`fb_${id}`, tenant.organizationId, id, rating, new Date(Date.parse(created) + 100 * HOUR_MS)],
      );
    truth.push({ category, created, resolvedHours, isBreached, rating });
  }
  return { tenant, truth };
}

describe('support dashboard numbers', () => {
  let tenant: Tenant;
  let truth: Truth[];
  beforeAll(async () => {
    ({ tenant, truth } = await desk());
  });

  test.each([
    ['UTC', '2025-03-01', '2025-04-30'],
    ['America/New_York', '2025-03-08', '2025-03-10'],
    ['America/New_York', '2025-11-01', '2025-11-03'],
    ['Europe/Berlin', '2025-03-28', '2025-03-31'],
    // this date has no midnight in Cairo, because the clock is set forward
    ['Africa/Cairo', '2025-04-25', '2025-04-25'],
    ['Africa/Cairo', '2025-04-24', '2025-04-24'],
    // this date has two midnights in Havana, because the clock is set back
    ['America/Havana', '2025-11-01', '2025-11-02'],
    ['America/Havana', '2025-11-02', '2025-11-02'],
    ['Asia/Kolkata', '2025-12-29', '2026-01-02'],
    ['Pacific/Auckland', '2025-03-01', '2025-12-31'],
  ])('the support dashboard in time zone %s from %s to %s equals the numbers computed from the tickets', async (timezone, first, last) => {
    const { status, body } = await tenant.rest('GET', `/support/analytics/dashboard?date_range=${first}..${last}&timezone=${timezone}`);
    expect(status, JSON.stringify(body)).toBe(200);
    const { period, ...numbers } = body.dashboard;
    expect(numbers).toEqual(recount(truth, timezone, first, last));
    expect(period.timezone).toBe(timezone);
    expect(dateIn(timezone, period.start)).toBe(first);
    expect(dateIn(timezone, new Date(Date.parse(period.start) - 1).toISOString())).not.toBe(first);
    expect(dateIn(timezone, new Date(Date.parse(period.end) - 1).toISOString())).toBe(last);
    expect(dateIn(timezone, period.end)).not.toBe(last);
    expect(body.dashboard.overview.total_tickets).toBeGreaterThan(0);
  });

  test('the totals of the support dashboard equal the sums of its categories and days, and GraphQL returns the same totals', async () => {
    const range = '2025-03-01..2025-12-31';
    const { body } = await tenant.rest('GET', `/support/analytics/dashboard?date_range=${range}`);
    const { overview, categories, trends } = body.dashboard;
    expect(overview.tickets_resolved + overview.tickets_open).toBe(overview.total_tickets);
    const sum = (counts: Json[]) => counts.reduce((total, { count }) => total + count, 0);
    expect([sum(categories), sum(trends.tickets_per_day)]).toEqual([truth.length, truth.length]);
    const { data } = await tenant.graphql(
      `{ supportDashboard(dateRange: "${range}") { overview { totalTickets slaCompliance } trends { ticketsPerDay { count } } } }`,
    );
    expect(data.supportDashboard.overview).toEqual({ totalTickets: overview.total_tickets, slaCompliance: overview.sla_compliance });
    expect(data.supportDashboard.trends.ticketsPerDay).toHaveLength(306);
  });
});

test('the support dashboard of an organization without tickets lists every day and has null rates and averages', async () => {
  const tenant = await platform.organization();
  const { dashboard } = (await tenant.rest('GET', '/support/analytics/dashboard')).body;
  expect(dashboard.overview).toEqual({
    total_tickets: 0,
    tickets_resolved: 0,
    tickets_open: 0,
    avg_resolution_time: null,
    sla_compliance: null,
    customer_satisfaction: null,
  });
  expect(dashboard.period.timezone).toBe('UTC');
  expect(dashboard.categories).toEqual([]);
  expect(dashboard.trends.tickets_per_day).toHaveLength(30);
  expect(dashboard.trends.tickets_per_day.at(-1).date).toBe(platform.clock.now().toISOString().slice(0, 10));
});

test('a support dashboard range such as 24h or 12w ends at the current time, and customer_id restricts the numbers to one customer', async () => {
  const tenant = await platform.organization();
  const account = (await tenant.rest('POST', '/accounts', { body: { name: 'Acme', email: 'it@acme.example' } })).body.data;
  const table = await onlyTable('support.ticket');
  for (const [hours, more] of [
    [1, { customer_id: account.customer_id }],
    [30, {}],
    [24 * 40, {}],
  ] as const) {
    const { body } = await tenant.rest('POST', '/support/tickets', { body: { title: 'Down', description: 'No light', ...more } });
    await table.set('created_at', new Date(platform.clock.now().getTime() - hours * HOUR_MS).toISOString(), 'id', body.ticket.id);
  }
  const total = async (query: string) =>
    (await tenant.rest('GET', `/support/analytics/dashboard?${query}`)).body.dashboard.overview.total_tickets;
  expect(await total('date_range=24h')).toBe(1);
  expect(await total('date_range=30d')).toBe(2);
  expect(await total('')).toBe(2);
  expect(await total('date_range=12w')).toBe(3);
  expect(await total(`date_range=12w&customer_id=${account.customer_id}`)).toBe(1);
  const stranger = await platform.organization();
  const { body } = await stranger.rest('GET', `/support/analytics/dashboard?customer_id=${account.customer_id}`);
  expect(body.dashboard.overview.total_tickets).toBe(0);
});

test.each([
  ['date_range=month', 'date_range'],
  ['date_range=0d', 'date_range'],
  ['date_range=2025-02-30..2025-03-01', 'date_range'],
  ['date_range=2020-01-01..2025-01-01', 'date_range'],
  ['timezone=Mars/Olympus', 'timezone'],
  ['timezone=%2B05:00', 'timezone'],
  ["timezone=UTC'--", 'timezone'],
  ['zone=UTC', 'zone'],
])('the support dashboard with %s returns 400 INVALID_PARAMETERS and names the parameter %s', async (query, field) => {
  const tenant = await platform.organization();
  const { status, body } = await tenant.rest('GET', `/support/analytics/dashboard?${query}`);
  expect([status, body.error.code, body.error.details.field]).toEqual([400, 'INVALID_PARAMETERS', field]);
});
