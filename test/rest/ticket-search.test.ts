import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import { onlyTable, rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { type Caller, callersOf, idsOf, openAccounts, searchTickets } from './ticket-search.setup.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const change = async (tenant: Tenant, id: string, body: object): Promise<void> => {
  expect((await tenant.rest('PUT', `/support/tickets/${id}`, { body })).status).toBe(200);
};

/** Creates tickets with different properties over several days; some have the same creation time. */
async function desk(): Promise<{ tenant: Tenant; tickets: Json[]; callers: Caller[] }> {
  const tenant = await platform.organization({ plan: 'custom' });
  const accounts = await openAccounts(tenant, 'Acme', 'Hudson');
  const customers = accounts.map(({ customer_id }) => customer_id);
  const priorities = ['low', 'medium', 'high', 'critical'];
  const made = [];
  for (let index = 0; index < 18; index += 1) {
    made.push(
      await openTicket(tenant, {
        title: `Line ${(index * 7) % 18}`,
        priority: priorities[index % 4],
        category: ['voice', 'cloud', 'billing'][index % 3],
        ...(index % 2 && { customer_id: customers[index % 4 === 1 ? 0 : 1] }),
        ...(index % 5 === 0 && { service_affected: 'the phone in the lobby' }),
      }),
    );
  }
  const table = await onlyTable('support.ticket');
  const begin = Date.parse(made[0].created_at) - 9 * DAY_MS;
  for (const [index, { id }] of made.entries()) {
    if (index % 3 === 1) await change(tenant, id, { status: 'in_progress' });
    if (index % 6 === 2) await change(tenant, id, { status: 'resolved' });
    if (index % 6 === 4) await change(tenant, id, { status: 'escalated' });
  }
  // set last, because a later change would report SLA breaches and escalate the tickets
  for (const [index, { id }] of made.entries())
    await table.set('created_at', new Date(begin + Math.floor(index / 2) * 13 * HOUR_MS).toISOString(), 'id', id);
  const read = await tenant.rest('GET', '/support/tickets?limit=200');
  const tickets = await Promise.all(idsOf(read).map(async (id) => (await tenant.rest('GET', `/support/tickets/${id}`)).body.ticket));
  expect(tickets).toHaveLength(18);
  return { tenant, tickets, callers: await callersOf(tenant, accounts) };
}

const RANK = { low: 1, medium: 2, high: 3, critical: 4 } as Record<string, number>;
const LIFE_CYCLE = ['open', 'in_progress', 'escalated', 'resolved'];
const SORTS: Record<string, (ticket: Json) => string | number> = {
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
  number: ({ number }) => Number(number.slice(4)),
  title: ({ title }) => title,
  status: ({ status }) => LIFE_CYCLE.indexOf(status),
  priority: ({ priority }) => RANK[priority] ?? 0,
  resolution_due: ({ sla }) => sla.resolution_due,
};

describe('filtered and sorted ticket lists', () => {
  let tenant: Tenant;
  let tickets: Json[];
  let callers: Caller[];
  beforeAll(async () => {
    ({ tenant, tickets, callers } = await desk());
  });

  /** Reads all pages once by page number and once by cursor, and checks that both ways return the same tickets and total. */
  async function everyPage(caller: Tenant, filters: object, sort: object | undefined, limit = 7): Promise<string[]> {
    const byPage: string[] = [];
    const byCursor: string[] = [];
    let cursor: string | null = null;
    let total = Number.POSITIVE_INFINITY;
    for (let page = 1; byPage.length < total; page += 1) {
      const numbered = await searchTickets(caller, { filters, sort, pagination: { page, limit } });
      const followed = await searchTickets(caller, { filters, sort, pagination: { limit, ...(cursor && { cursor }) } });
      expect([numbered.status, followed.status], JSON.stringify([numbered.body, followed.body])).toEqual([200, 200]);
      byPage.push(...idsOf(numbered));
      byCursor.push(...idsOf(followed));
      total = numbered.body.pagination.total;
      expect(followed.body.pagination.total).toBe(total);
      cursor = followed.body.pagination.next_cursor;
      if (idsOf(numbered).length === 0) break;
    }
    expect(byPage).toHaveLength(total);
    expect(byCursor).toEqual(byPage);
    return byPage;
  }

  const days = (count: number) => new Date(Date.parse(tickets[17].created_at) + count * DAY_MS + HOUR_MS).toISOString();
  const CASES: [string, () => [object, (ticket: Json) => boolean]][] = [
    ['an empty filter', () => [{}, () => true]],
    ['a status', () => [{ status: ['open'] }, ({ status }) => status === 'open']],
    ['the same status twice', () => [{ status: ['open', 'open'] }, ({ status }) => status === 'open']],
    [
      'statuses and priorities',
      () => [
        { status: ['open', 'in_progress'], priority: ['high', 'critical'] },
        ({ status, priority }) => ['open', 'in_progress'].includes(status) && ['high', 'critical'].includes(priority),
      ],
    ],
    ['a priority', () => [{ priority: ['low'] }, ({ priority }) => priority === 'low']],
    ['a category', () => [{ category: 'voice' }, ({ category }) => category === 'voice']],
    [
      'a category, a status and a priority',
      () => [
        { category: ['voice', 'cloud'], status: ['in_progress'], priority: ['critical', 'low'] },
        ({ category, status, priority }) => category !== 'billing' && status === 'in_progress' && ['critical', 'low'].includes(priority),
      ],
    ],
    [
      'an agent',
      () => [
        { assigned_to: tickets[0].assigned_to.agent_id },
        ({ assigned_to }) => assigned_to.agent_id === tickets[0].assigned_to.agent_id,
      ],
    ],
    [
      'an agent and a priority',
      () => [
        { assigned_to: tickets[0].assigned_to.agent_id, priority: ['low', 'high'] },
        ({ assigned_to, priority }) => assigned_to.agent_id === tickets[0].assigned_to.agent_id && ['low', 'high'].includes(priority),
      ],
    ],
    [
      'customers',
      () => {
        const customers = [...new Set(tickets.map(({ customer_id }) => customer_id).filter(Boolean))];
        return [{ customer_id: customers }, ({ customer_id }) => customer_id !== null];
      },
    ],
    [
      'a customer, a status and a day',
      () => {
        const { customer_id: customer } = tickets.find(({ customer_id }) => customer_id);
        const filters = { customer_id: customer, status: ['open', 'in_progress'], created_after: days(2) };
        return [
          filters,
          (one) => one.customer_id === customer && ['open', 'in_progress'].includes(one.status) && one.created_at >= days(2),
        ];
      },
    ],
    ['the affected service', () => [{ service_affected: 'the phone in the lobby' }, ({ service_affected }) => service_affected !== null]],
    ['a start time', () => [{ created_after: days(3) }, ({ created_at }) => created_at >= days(3)]],
    ['an end time', () => [{ created_before: days(4) }, ({ created_at }) => created_at < days(4)]],
    [
      'a date range and a status',
      () => [
        { created_after: days(1), created_before: days(6), status: ['open', 'in_progress'] },
        ({ created_at, status }) => created_at >= days(1) && created_at < days(6) && ['open', 'in_progress'].includes(status),
      ],
    ],
    [
      'a single day',
      () => [
        { created_after: days(0), created_before: days(0.9), priority: ['low', 'medium', 'high', 'critical'] },
        ({ created_at }) => created_at >= days(0) && created_at < days(0.9),
      ],
    ],
    ['a date in a thousand years', () => [{ created_after: '9999-12-31T23:00:00Z' }, () => false]],
  ];

  test.each(CASES)(
    'a ticket list filtered by %s contains exactly the matching tickets that the caller can read, with page numbers and with cursors',
    async (_, make) => {
      const [filters, fits] = make();
      for (const { tenant: caller, sees } of callers) {
        const expected = tickets.filter((ticket) => fits(ticket) && sees(ticket)).map(({ id }) => id);
        expect(await everyPage(caller, filters, undefined)).toEqual(expected);
        expect(await everyPage(caller, filters, { field: 'created_at', order: 'asc' })).toEqual(expected.toReversed());
      }
    },
  );

  test.each(Object.entries(SORTS))(
    'a ticket list sorted by %s can be read in ascending and descending order, with and without a filter',
    async (field, key) => {
      for (const order of ['asc', 'desc']) {
        for (const status of [['open', 'in_progress'], undefined])
          for (const { tenant: caller, sees } of callers) {
            const found = await everyPage(caller, { ...(status && { status }) }, { field, order }, 10);
            const records = found.map((id) => tickets.find((ticket) => ticket.id === id));
            expect(records).toHaveLength(tickets.filter((ticket) => sees(ticket) && (!status || status.includes(ticket.status))).length);
            const keys = records.map(key);
            const sorted = [...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
            expect(keys).toEqual(order === 'asc' ? sorted : sorted.reverse());
          }
      }
    },
  );

  test.each([
    'status',
    'status:desc',
    'status:asc,created_at:desc',
    'status:desc,priority:asc',
    'priority:desc,status:asc',
    'status:desc,priority:asc,created_at:asc',
    'created_at:asc,status:desc',
    'status:asc,title:desc',
    'resolution_due:asc,status:asc,title:desc',
    'status:asc,status:desc,status:asc',
  ])('paging a ticket list by cursor with sort=%s returns the tickets in the expected order, with and without filters', async (sort) => {
    const keys = [...sort.split(','), ...(/created_at|title/.test(sort) ? [] : [`created_at:${/desc$/.test(sort) ? 'desc' : 'asc'}`])];
    const expected = (filter: (ticket: Json) => boolean) =>
      tickets
        .filter(filter)
        .sort((one, other) => {
          for (const key of [...keys, `id:${keys.at(-1)?.split(':')[1] ?? 'asc'}`]) {
            const [field = '', order = 'asc'] = key.split(':');
            const [a, b] = [one, other].map(field === 'id' ? ({ id }) => id : (SORTS[field] ?? String));
            if (a !== b) return (a < b ? -1 : 1) * (order === 'asc' ? 1 : -1);
          }
          return 0;
        })
        .map(({ id }) => id);
    const walked = async (caller: Tenant, filter: string, limit: number): Promise<string[]> => {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { status, body }: Json = await caller.rest(
          'GET',
          `/support/tickets?sort=${sort}&limit=${limit}${filter}${cursor && `&cursor=${cursor}`}`,
        );
        expect(status, JSON.stringify(body)).toBe(200);
        found.push(...body.tickets.map(({ id }: Json) => id));
        cursor = body.pagination.next_cursor;
      }
      return found;
    };
    for (const [at, { tenant: caller, sees }] of callers.entries()) {
      const limit = at % 2 === 0 ? 1 : 4;
      expect(await walked(caller, '', limit)).toEqual(expected(sees));
      expect(await walked(caller, '&status=escalated,open&priority=low,high', limit)).toEqual(
        expected((ticket) => sees(ticket) && ['escalated', 'open'].includes(ticket.status) && ['low', 'high'].includes(ticket.priority)),
      );
      expect(await walked(caller, '&category=voice', limit)).toEqual(expected((ticket) => sees(ticket) && ticket.category === 'voice'));
    }
  });

  test('a ticket list that is continued with a cursor of release 1.2 keeps the alphabetical status order of that release', async () => {
    const signature = createHash('sha256').update('status:asc,createdAt:asc,id:asc').digest('base64url').slice(0, 6);
    const key = ({ status, created_at, id }: Json) => `${status} ${created_at} ${id}`;
    const alphabetical = tickets.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
    for (const at of [0, 3, 11]) {
      const { status, created_at, id } = alphabetical[at];
      let cursor = Buffer.from(JSON.stringify([signature, status, created_at, id])).toString('base64url');
      const found: string[] = [];
      while (cursor) {
        const response = await tenant.rest('GET', `/support/tickets?sort=status&limit=4&cursor=${cursor}`);
        found.push(...idsOf(response));
        cursor = response.body.pagination.next_cursor;
      }
      expect(found).toEqual(alphabetical.slice(at + 1).map(({ id }) => id));
    }
    // release 1.2 rejects a cursor of the current release, because the signatures differ, so its clients skip no tickets
    const { body } = await tenant.rest('GET', '/support/tickets?sort=status&limit=4');
    expect(JSON.parse(Buffer.from(body.pagination.next_cursor, 'base64url').toString())[0]).not.toBe(signature);
  });

  test('listing tickets with a forged cursor that contains an unknown status returns 400', async () => {
    const { body } = await tenant.rest('GET', '/support/tickets?sort=status&limit=4');
    const [signature, , ...rest] = JSON.parse(Buffer.from(body.pagination.next_cursor, 'base64url').toString());
    const cursor = Buffer.from(JSON.stringify([signature, 'lost', ...rest])).toString('base64url');
    const response = await tenant.rest('GET', `/support/tickets?sort=status&limit=4&cursor=${cursor}`);
    expect(response.status).toBe(400);
  });

  test('a ticket list sorted by priority and creation time applies the direction of each field', async () => {
    const read = async (sort: string) => (await tenant.rest('GET', `/support/tickets?limit=200&sort=${sort}`)).body.tickets;
    for (const [sort, sign] of [
      ['priority:desc,created_at:asc', 1],
      ['priority:desc,created_at:desc', -1],
    ] as const) {
      const found: Json[] = await read(sort);
      const expected = [...found].sort(
        (a, b) =>
          (RANK[b.priority] ?? 0) - (RANK[a.priority] ?? 0) ||
          sign * (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0),
      );
      expect(found.map(({ priority, created_at }) => [priority, created_at])).toEqual(
        expected.map(({ priority, created_at }) => [priority, created_at]),
      );
      expect(found).toHaveLength(18);
    }
  });
});

test('the ticket list sorts ticket numbers as numbers, not as text', async () => {
  const tenant = await platform.organization();
  const [first, second] = [await openTicket(tenant), await openTicket(tenant)];
  await (await onlyTable('support.ticket')).set('number', 'TKT-10000', 'id', first.id);
  const { body } = await tenant.rest('GET', '/support/tickets?sort=number:asc');
  expect(body.tickets.map(({ number }: Json) => number)).toEqual([second.number, 'TKT-10000']);
});

test('the total of a ticket list equals the number of matching tickets, before and after the counters are compacted', async () => {
  const tenant = await platform.organization();
  const ids = [];
  for (let index = 0; index < 4; index += 1) ids.push((await openTicket(tenant, { priority: 'high' })).id);
  const total = async (filters: object) =>
    (await searchTickets(tenant, { filters, pagination: { limit: 1 } })).body.pagination.total as number;
  const totals = async () => [
    await total({}),
    await total({ status: ['open'] }),
    await total({ priority: ['high'] }),
    await total({ category: 'general' }),
  ];
  const [first = '', second = ''] = ids;

  expect(await totals()).toEqual([4, 4, 4, 4]);
  await change(tenant, first, { status: 'in_progress' });
  await change(tenant, second, { status: 'in_progress', priority: 'low' });
  expect(await totals()).toEqual([4, 2, 3, 4]);
  expect(await total({ created_after: new Date(platform.clock.now().getTime() - 3 * DAY_MS).toISOString(), status: ['in_progress'] })).toBe(
    2,
  );
  await change(tenant, first, { status: 'open' });
  expect(await totals()).toEqual([4, 3, 3, 4]);

  const all = await rows();
  const unfolded = () =>
    all.query(`select 1 as one from support.ticket_tally where organization_id = $1 and not folded`, [tenant.organizationId]);
  const until = performance.now() + 30_000;
  while ((await unfolded()).length > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await unfolded()).toEqual([]);
  expect(await totals()).toEqual([4, 3, 3, 4]);

  // deletes a ticket in the database, because no API operation does this
  await all.query('delete from support.ticket where id = $1', [second]);
  expect(await totals()).toEqual([3, 3, 3, 3]);
});

test('ticket totals equal the number of tickets after 60 concurrent changes, for every filter and for callers with limited access', async () => {
  const tenant = await platform.organization({ plan: 'custom' });
  const accounts = await openAccounts(tenant, 'Acme', 'Hudson', 'Stark');
  const callers = await callersOf(tenant, accounts);
  const STATES = ['open', 'in_progress', 'escalated', 'resolved'];
  const PRIORITIES = ['low', 'medium', 'high'];
  const CATEGORIES = ['voice', 'cloud'];
  const made = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      openTicket(tenant, {
        title: `Line ${index}`,
        priority: PRIORITIES[index % 3],
        category: CATEGORIES[index % 2],
        ...(index % 4 < 3 && { customer_id: accounts[index % 4].customer_id }),
      }),
    ),
  );
  const all = await rows();
  // a fixed pseudo-random sequence, so that a failure can be reproduced
  let state = 7;
  const chance = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const operations = Array.from({ length: 60 }, () => {
    const { id } = made[chance(made.length)];
    const kind = chance(8);
    if (kind === 0) return all.query('delete from support.ticket where id = $1', [id]);
    if (kind < 3)
      return all.query(`update support.ticket set created_at = created_at - interval '1 day' * $2::int where id = $1`, [
        id,
        5 * chance(20),
      ]);
    const [column, values] = kind < 6 ? (['status', STATES] as const) : (['priority', PRIORITIES] as const);
    return all.query(`update support.ticket set ${column} = $2 where id = $1`, [id, values[chance(values.length)]]);
  });
  await Promise.all(operations);

  const left = await all.query<Json>(
    `select id, status, priority, category, customer_id, created_at from support.ticket where organization_id = $1`,
    [tenant.organizationId],
  );
  expect(left.length).toBeGreaterThan(5);
  const ago = (days: number) => new Date(platform.clock.now().getTime() - days * DAY_MS);
  const [longAgo, midway, since, yesterday] = [ago(70), ago(35), ago(16), ago(1)];
  const FILTERS: [object, (ticket: Json) => boolean][] = [
    [{}, () => true],
    [{ status: ['open', 'resolved'] }, ({ status }) => ['open', 'resolved'].includes(status)],
    [{ priority: ['low'], category: 'cloud' }, ({ priority, category }) => priority === 'low' && category === 'cloud'],
    [{ created_after: since.toISOString() }, ({ created_at }) => new Date(created_at) >= since],
    [{ created_after: longAgo.toISOString() }, ({ created_at }) => new Date(created_at) >= longAgo],
    [
      { created_after: longAgo.toISOString(), created_before: yesterday.toISOString(), status: STATES },
      ({ created_at }) => new Date(created_at) >= longAgo && new Date(created_at) < yesterday,
    ],
    [
      { created_after: longAgo.toISOString(), created_before: midway.toISOString() },
      ({ created_at }) => new Date(created_at) >= longAgo && new Date(created_at) < midway,
    ],
    [
      { created_after: since.toISOString(), created_before: yesterday.toISOString() },
      ({ created_at }) => new Date(created_at) >= since && new Date(created_at) < yesterday,
    ],
    [{ customer_id: accounts[0]?.customer_id }, ({ customer_id }) => customer_id === accounts[0]?.customer_id],
    [
      { customer_id: accounts.map(({ customer_id }) => customer_id), created_before: since.toISOString() },
      ({ customer_id, created_at }) => customer_id !== null && new Date(created_at) < since,
    ],
  ];
  const expectTotals = async () => {
    for (const { tenant: caller, sees } of callers)
      for (const [filters, fits] of FILTERS) {
        const { body } = await searchTickets(caller, { filters, pagination: { limit: 1 } });
        expect(body.pagination.total, JSON.stringify(filters)).toBe(left.filter((ticket) => sees(ticket) && fits(ticket)).length);
      }
  };
  await expectTotals();
  await expect
    .poll(
      () =>
        all.query('select 1 as one from support.ticket_account_tally where organization_id = $1 and not folded', [tenant.organizationId]),
      {
        timeout: 30_000,
      },
    )
    .toEqual([]);
  await expectTotals();
});
