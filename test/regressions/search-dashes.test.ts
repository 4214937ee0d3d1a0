import { expect, test } from 'vitest';
import { searchTickets } from '../rest/ticket-search.setup.ts';
import { rig } from '../rig.ts';
import { openTicket } from '../ticket.setup.ts';

const platform = await rig();

test.each([
  ['200 dashes', '-'.repeat(200)],
  ['dashes and spaces', '- '.repeat(100)],
  ['dashes and brackets', '-)('.repeat(66)],
  ['dashes and operators', '-&|!:*'.repeat(33)],
  ['dashes before quotes', '-"'.repeat(100)],
  ['many exclusions', '-wire '.repeat(33)],
])('a search for %s returns 200', async (_, q) => {
  const tenant = await platform.organization({ plan: 'custom' });
  await openTicket(tenant, { title: 'Fiber', description: 'Cut' });
  for (const words of [q, `${q.slice(0, 190)} fiber`]) {
    expect((await searchTickets(tenant, { filters: { q: words } })).status, words).toBe(200);
    for (const path of ['/support/knowledge?', '/support/kb?', '/support/kb?sort=title:asc&'])
      expect((await tenant.rest('GET', `${path}q=${encodeURIComponent(words)}`)).status, path).toBe(200);
  }
});

test('a search finds hyphenated words and excludes words with a leading minus sign', async () => {
  const tenant = await platform.organization({ plan: 'custom' });
  const one = await openTicket(tenant, { title: 'E-mail of the e-shop', description: 'Bounces' });
  const other = await openTicket(tenant, { title: 'E-mail', description: 'Slow' });
  const find = async (q: string) => (await searchTickets(tenant, { filters: { q } })).body.tickets.map(({ id }: { id: string }) => id);
  expect(await find('e-mail -"e-shop"')).toEqual([other.id]);
  expect(await find('e-mail -slow - -- ')).toEqual([one.id]);
  expect(await find('e-shop')).toEqual([one.id]);
});
