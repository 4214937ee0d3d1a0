import { describe, expect, test } from 'vitest';
import { problems, ticketDesk } from './tickets.setup.ts';

const { platform, tenant, open, change } = await ticketDesk();

describe('ticket list', () => {
  test('the ticket list can be filtered and sorted, and paging by cursor returns every ticket once', async () => {
    const caller = await platform.organization();
    const priorities = ['low', 'high', 'critical', 'high', 'medium'];
    const records = [];
    for (const priority of priorities) records.push(await open({ priority, category: priority === 'low' ? 'billing' : 'voice' }, caller));
    await change(records[1].id, { status: 'in_progress' }, caller);
    const ids = async (query: string) =>
      (await caller.rest('GET', `/support/tickets?${query}`)).body.tickets.map(({ id }: { id: string }) => id);
    const [low, high, critical, other, medium] = records.map(({ id }) => id);

    expect(await ids('')).toEqual([medium, other, critical, high, low]);
    expect(await ids('priority=high&sort=created_at:asc')).toEqual([high, other]);
    expect(await ids('sort=priority:desc,created_at:asc')).toEqual([critical, high, other, medium, low]);
    expect(await ids('status=open,in_progress&priority=high,critical&sort=created_at')).toEqual([high, critical, other]);
    expect(await ids('status=in_progress&status=resolved')).toEqual([high]);
    expect(await ids('category=billing')).toEqual([low]);
    expect(await ids('page=2&limit=2')).toEqual([critical, high]);
    expect((await caller.rest('GET', '/support/tickets?limit=2')).body.pagination).toMatchObject({
      total: 5,
      page: 1,
      limit: 2,
      pages: 3,
      has_more: true,
    });

    const walked: string[] = [];
    let cursor = '';
    do {
      const { body } = await caller.rest('GET', `/support/tickets?sort=title:asc&limit=2${cursor && `&cursor=${cursor}`}`);
      walked.push(...body.tickets.map(({ id }: { id: string }) => id));
      // a ticket that is created between two pages does not shift the cursor
      if (!cursor) await open({ title: 'A first one' }, caller);
      cursor = body.pagination.next_cursor ?? '';
    } while (cursor);
    expect(walked.sort()).toEqual([low, high, critical, other, medium].sort());
  });

  test.each([
    'limit=0',
    'limit=201',
    'page=0',
    'page=1&cursor=x',
    'cursor=nonsense',
    'sort=colour:asc',
    'sort=title:sideways',
    'status=closed',
    'customer=cust_1',
    'created_after=yesterday',
  ])('listing tickets with %s returns 400 INVALID_PARAMETERS', async (query) => {
    const refused = await tenant.rest('GET', `/support/tickets?${query}`);
    expect(problems(refused).slice(0, 2)).toEqual([400, 'INVALID_PARAMETERS']);
  });

  test('listing tickets with a forged cursor that contains invalid values returns 400 INVALID_PARAMETERS', async () => {
    const caller = await platform.organization();
    await open({}, caller);
    await open({}, caller);
    const { body } = await caller.rest('GET', '/support/tickets?limit=1');
    const [signature] = JSON.parse(Buffer.from(body.pagination.next_cursor, 'base64url').toString());
    const made = (...values: unknown[]) => Buffer.from(JSON.stringify([signature, ...values])).toString('base64url');
    for (const cursor of [
      made('garbage', 'x'),
      made({ $re: 'a' }, 'x'),
      made(null, 'x'),
      made(body.tickets[0].created_at, { $in: ['a'] }),
      made(7, 'x'),
    ]) {
      expect(problems(await caller.rest('GET', `/support/tickets?limit=1&cursor=${cursor}`))).toEqual([
        400,
        'INVALID_PARAMETERS',
        ['cursor'],
      ]);
    }
    expect(
      (await caller.rest('GET', `/support/tickets?limit=1&cursor=${made(body.tickets[0].created_at, body.tickets[0].id)}`)).status,
    ).toBe(200);
  });

  test('a ticket search returns the same result for filters in a POST body and in the query string', async () => {
    const caller = await platform.organization();
    const record = await open({ priority: 'high' }, caller);
    await open({ priority: 'low' }, caller);
    const body = {
      filters: { status: ['open'], priority: ['high', 'critical'] },
      sort: { field: 'created_at', order: 'desc' },
      pagination: { page: 1, limit: 50 },
    };
    for (const response of [
      await caller.rest('POST', '/support/tickets/search', { body }),
      await caller.rest(
        'GET',
        '/support/tickets/search?filters[status][]=open&filters[priority]=high&sort[field]=created_at&sort[order]=desc',
      ),
    ]) {
      expect(response.status, JSON.stringify(response.body)).toBe(200);
      expect(response.body.tickets.map(({ id }: { id: string }) => id)).toEqual([record.id]);
      expect(response.body.pagination).toMatchObject({ total: 1, page: 1, limit: 50, pages: 1 });
    }
  });
});
