import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { idsOf, searchTickets } from './ticket-search.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

describe('words', () => {
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
    const answer = await searchTickets(caller, { filters: { q, ...more } });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body.pagination.total).toBe(answer.body.tickets.length);
    return idsOf(answer).map((id) => Object.keys(made).find((name) => made[name].id === id) ?? 'unknown');
  };

  test('are found in title and description, in any of their forms, the title first', async () => {
    expect(await find('modem')).toEqual(['titled', 'described']);
    expect(await find('MODEMS')).toEqual(['titled', 'described']);
    expect((await find('restart')).sort()).toEqual(['described', 'other']);
    expect(await find('modem restarted')).toEqual(['described']);
  });

  test('can be phrases, alternatives and exclusions, and are never a syntax error', async () => {
    expect(await find('"restarted twice"')).toEqual(['described']);
    expect(await find('"twice restarted"')).toEqual([]);
    expect(await find('modem -restarted')).toEqual(['titled']);
    expect((await find('invoice or dark')).sort()).toEqual(['other', 'titled']);
    for (const q of ["modem & | ! ( '", '"', '-', ':* <->', "'; drop table ticket", '\\']) expect(Array.isArray(await find(q))).toBe(true);
  });

  test('that say nothing find nothing', async () => {
    expect(await find('the of and')).toEqual([]);
    expect(await find('zebra')).toEqual([]);
    // no word of anybody's text
    expect(await find(tenant.organizationId)).toEqual([]);
  });

  test('go with every filter and sort, and by page', async () => {
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

  test('may be the number or the id of a ticket', async () => {
    for (const q of [made.other.number, made.other.number.toLowerCase(), made.other.id, ` ${made.other.number} `])
      expect(await find(q)).toEqual(['other']);
    expect(await find('TKT-999999')).toEqual([]);
    expect(await find(made.other.number, { status: ['resolved'] })).toEqual([]);
    expect((await (await platform.organization()).rest('GET', `/support/tickets?q=${made.other.id}`)).body.tickets).toEqual([]);
  });

  test('of comments find their ticket, those of internal ones for the desk only', async () => {
    const customer = await tenant.limitedTo('support:read', 'support:create');
    const comment = async (body: object, caller = tenant) =>
      expect((await caller.rest('POST', `/support/tickets/${made.other.id}/comments`, { body })).status).toBe(201);
    await comment({ content: 'The giraffe chewed the cable' }, customer);
    await comment({ content: 'Refund of the zucchini approved', visibility: 'internal' });
    await comment({ content: 'We send a plumber' });
    for (const caller of [tenant, customer]) {
      expect(await find('giraffes', {}, caller)).toEqual(['other']);
      // in what was said before and after the internal one, and with words of the ticket itself
      expect(await find('giraffe plumber invoice', {}, caller)).toEqual(['other']);
    }
    expect(await find('zucchini')).toEqual(['other']);
    expect(await find('zucchini plumber')).toEqual(['other']);
    expect(await find('zucchini', {}, customer)).toEqual([]);
    expect(await find('giraffe -zucchini', {}, customer)).toEqual(['other']);
    const { data } = await customer.graphql('{ tickets(filter: { q: "zucchini" }) { nodes { id } pageInfo { total } } }');
    expect(data.tickets).toEqual({ nodes: [], pageInfo: { total: 0 } });
  });

  test('come in a query string, a body on GET, a POST and over GraphQL alike', async () => {
    const expected = [made.titled.id, made.described.id];
    const onGet = await getWithBody(tenant, { filters: { q: 'modem' } });
    expect(onGet.tickets.map(({ id }: Json) => id)).toEqual(expected);
    expect(idsOf(await tenant.rest('GET', '/support/tickets/search?filters[q]=modem'))).toEqual(expected);
    expect(idsOf(await tenant.rest('GET', '/support/tickets?q=modem'))).toEqual(expected);
    const { data } = await tenant.graphql('{ tickets(filter: { q: "modem" }) { nodes { id } pageInfo { total } } }');
    expect(data.tickets).toEqual({ nodes: expected.map((id) => ({ id })), pageInfo: { total: 2 } });
  });

  test.each(['', 'x'.repeat(201)])('of no length or too many (%#) are refused', async (q) => {
    const { status, body } = await searchTickets(tenant, { filters: { q } });
    expect([status, body.error.details.errors[0].field]).toEqual([400, 'q']);
  });
});

/** `fetch` sends no body with a GET. */
async function getWithBody(tenant: Tenant, body: object): Promise<Json> {
  const { request } = await import('undici');
  const answer = await request(`${tenant.origin}/v1/support/tickets/search`, {
    method: 'GET',
    headers: { authorization: `Bearer ${tenant.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.body.json();
}
