import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { callersOf, idsOf, openAccounts, searchTickets } from './ticket-search.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

describe('ticket search by words', () => {
  let tenant: Tenant;
  const made: Record<string, Json> = {};
  beforeAll(async () => {
    tenant = await platform.organization({ plan: 'custom' });
    made.described = await openTicket(tenant, { title: 'Nothing works', description: 'The modem was restarted twice.' });
    made.titled = await openTicket(tenant, { title: 'Modem', description: 'It is dark.', priority: 'high' });
    made.other = await openTicket(tenant, { title: 'Invoice', description: 'Restarting the billing cycle' });
    const stranger = await platform.organization();
    await openTicket(stranger, { title: 'Modem', description: 'Of somebody else' });
  });

  const find = async (q: string, more: object = {}, caller = tenant): Promise<string[]> => {
    const response = await searchTickets(caller, { filters: { q, ...more } });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    expect(response.body.pagination.total).toBe(response.body.tickets.length);
    return idsOf(response).map((id) => Object.keys(made).find((name) => made[name].id === id) ?? 'unknown');
  };

  test('ticket search finds all word forms in the title and description, and ranks title matches first', async () => {
    expect(await find('modem')).toEqual(['titled', 'described']);
    expect(await find('MODEMS')).toEqual(['titled', 'described']);
    expect((await find('restart')).sort()).toEqual(['described', 'other']);
    expect(await find('modem restarted')).toEqual(['described']);
  });

  test('ticket search supports phrases, alternatives and excluded words, and never returns a syntax error', async () => {
    expect(await find('"restarted twice"')).toEqual(['described']);
    expect(await find('"twice restarted"')).toEqual([]);
    expect(await find('modem -restarted')).toEqual(['titled']);
    expect((await find('invoice or dark')).sort()).toEqual(['other', 'titled']);
    for (const q of ["modem & | ! ( '", '"', '-', ':* <->', "'; drop table ticket", '\\']) expect(Array.isArray(await find(q))).toBe(true);
  });

  test('ticket search for stop words or unknown words returns no tickets', async () => {
    expect(await find('the of and')).toEqual([]);
    expect(await find('zebra')).toEqual([]);
    // this id is in no ticket text
    expect(await find(tenant.organizationId)).toEqual([]);
  });

  test('ticket search by words can be combined with filters, sorting and paging', async () => {
    expect(await find('modem', { priority: ['high'] })).toEqual(['titled']);
    expect(await find('modem', { status: ['resolved'] })).toEqual([]);
    const byTitle = await searchTickets(tenant, { filters: { q: 'modem' }, sort: { field: 'created_at', order: 'asc' } });
    expect(idsOf(byTitle)).toEqual([made.described.id, made.titled.id]);
    const first = await searchTickets(tenant, { filters: { q: 'modem' }, pagination: { limit: 1 } });
    expect(first.body.pagination).toMatchObject({ total: 2, pages: 2, has_more: true });
    const second = await searchTickets(tenant, {
      filters: { q: 'modem' },
      pagination: { limit: 1, cursor: first.body.pagination.next_cursor },
    });
    expect([...idsOf(first), ...idsOf(second)]).toEqual([made.titled.id, made.described.id]);
  });

  test('ticket search for a ticket number or id returns only this ticket', async () => {
    for (const q of [made.other.number, made.other.number.toLowerCase(), made.other.id, ` ${made.other.number} `])
      expect(await find(q)).toEqual(['other']);
    expect(await find('TKT-999999')).toEqual([]);
    expect(await find(made.other.number, { status: ['resolved'] })).toEqual([]);
    expect((await (await platform.organization()).rest('GET', `/support/tickets?q=${made.other.id}`)).body.tickets).toEqual([]);
  });

  test('ticket search finds words in comments, and words in internal comments only for callers with support:write', async () => {
    const customer = await tenant.limitedTo('support:read', 'support:create');
    const comment = async (body: object, caller = tenant) =>
      expect((await caller.rest('POST', `/support/tickets/${made.other.id}/comments`, { body })).status).toBe(201);
    await comment({ content: 'The giraffe chewed the cable' }, customer);
    await comment({ content: 'Refund of the zucchini approved', visibility: 'internal' });
    await comment({ content: 'We send a plumber' });
    for (const caller of [tenant, customer]) {
      expect(await find('giraffes', {}, caller)).toEqual(['other']);
      // the words are in comments before and after the internal one, and in the title of the ticket
      expect(await find('giraffe plumber invoice', {}, caller)).toEqual(['other']);
    }
    expect(await find('zucchini')).toEqual(['other']);
    expect(await find('zucchini plumber')).toEqual(['other']);
    expect(await find('zucchini', {}, customer)).toEqual([]);
    expect(await find('giraffe -zucchini', {}, customer)).toEqual(['other']);
    const { data } = await customer.graphql('{ tickets(filter: { q: "zucchini" }) { nodes { id } pageInfo { total } } }');
    expect(data.tickets).toEqual({ nodes: [], pageInfo: { total: 0 } });
  });

  test('ticket search returns the same tickets for a GET body, both forms of the query string and a GraphQL query', async () => {
    const expected = [made.titled.id, made.described.id];
    const onGet = await getWithBody(tenant, { filters: { q: 'modem' } });
    expect(onGet.tickets.map(({ id }: Json) => id)).toEqual(expected);
    expect(idsOf(await tenant.rest('GET', '/support/tickets/search?filters[q]=modem'))).toEqual(expected);
    expect(idsOf(await tenant.rest('GET', '/support/tickets?q=modem'))).toEqual(expected);
    const { data } = await tenant.graphql('{ tickets(filter: { q: "modem" }) { nodes { id } pageInfo { total } } }');
    expect(data.tickets).toEqual({ nodes: expected.map((id) => ({ id })), pageInfo: { total: 2 } });
  });

  test.each(['', 'x'.repeat(201)])('ticket search with an empty text or more than 200 characters returns 400 (case %#)', async (q) => {
    const { status, body } = await searchTickets(tenant, { filters: { q } });
    expect([status, body.error.details.errors[0].field]).toEqual([400, 'q']);
  });
});

test('ticket search returns exactly the matching tickets that the caller can read, also after tickets move to other accounts', async () => {
  const tenant = await platform.organization({ plan: 'custom' });
  const accounts = await openAccounts(tenant, 'Acme', 'Hudson', 'Stark');
  const callers = await callersOf(tenant, accounts);
  const WORDS = ['modem', 'fiber', 'invoice', 'voicemail'];
  const PRIORITIES = ['low', 'high', 'critical'];
  const tickets: Json[] = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      openTicket(tenant, {
        title: WORDS.filter((_word, at) => (index * 5) & (1 << at)).join(' ') || 'Nothing',
        priority: PRIORITIES[index % 3],
        ...(index % 4 < 3 && { customer_id: accounts[index % 4].customer_id }),
      }),
    ),
  );
  for (const [index, ticket] of tickets.entries())
    if (index % 6 === 0) {
      // keys that are limited to accounts have no support:write, so internal comments are not found for them
      const body = { content: 'A secret zucchini', visibility: index % 12 === 0 ? 'internal' : 'customer' };
      expect((await tenant.rest('POST', `/support/tickets/${ticket.id}/comments`, { body })).status).toBe(201);
      ticket.comment = index % 12 === 0 ? 'internal' : 'all';
    }
  const holds = (ticket: Json, word: string, isDesk: boolean): boolean =>
    word === 'zucchini' ? ticket.comment === 'all' || (isDesk && ticket.comment === 'internal') : ticket.title.split(' ').includes(word);
  const FILTERS: [object, (ticket: Json) => boolean][] = [
    [{}, () => true],
    [{ priority: ['low', 'critical'] }, ({ priority }) => priority !== 'high'],
    [{ priority: ['high'], created_after: '2000-01-01T00:00:00Z' }, ({ priority }) => priority === 'high'],
    [{ customer_id: accounts[0]?.customer_id }, ({ customer_id }) => customer_id === accounts[0]?.customer_id],
  ];
  const expectAll = async () => {
    for (const [at, { tenant: caller, sees }] of callers.entries())
      for (const words of [...WORDS.map((word) => [word]), ['modem', 'invoice'], ['zucchini'], ['zucchini', 'fiber']])
        for (const [filters, fits] of FILTERS) {
          const { body } = await searchTickets(caller, { filters: { ...filters, q: words.join(' ') }, pagination: { limit: 50 } });
          const expected = tickets.filter((one) => fits(one) && sees(one) && words.every((word) => holds(one, word, at === 0)));
          expect(body.tickets.map(({ id }: Json) => id).sort(), JSON.stringify([at, words, filters])).toEqual(
            expected.map(({ id }) => id).sort(),
          );
          expect(body.pagination.total).toBe(expected.length);
        }
  };
  await expectAll();
  // moves tickets to other accounts in the database, because no API operation does this
  for (const [index, ticket] of tickets.entries()) {
    const account = accounts[(index * 7) % 5];
    if (index % 2) continue;
    ticket.customer_id = account?.customer_id ?? null;
    const table = await rows();
    await table.query('update support.ticket set account_id = $2, customer_id = $3 where id = $1', [
      ticket.id,
      account?.id ?? null,
      ticket.customer_id,
    ]);
  }
  await expectAll();
});

/** Sends a GET with a body, which `fetch` does not support. */
async function getWithBody(tenant: Tenant, body: object): Promise<Json> {
  const { request } = await import('undici');
  const response = await request(`${tenant.origin}/v1/support/tickets/search`, {
    method: 'GET',
    headers: { authorization: `Bearer ${tenant.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.body.json();
}
