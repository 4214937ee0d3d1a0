import { expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { idsOf, searchTickets } from './ticket-search.setup.ts';

const platform = await rig();
const decomposed = (text: string): string => text.normalize('NFD');
/** Spellings of the same words. Each of them must find text in any of the other spellings. */
const SPELLINGS = ['café réseau', 'cafe reseau', 'CAFÉ RÉSEAU', decomposed('café réseau'), 'café reseau', '"cafe reseau"', '"Café réseau"'];
const OTHERS = ['strasse', 'Straße', 'muller', 'Müller', 'lodz', 'Łódź', 'smorrebrod', 'ecole', 'oeuvre', 'deja-vu', 'naive'];
const TEXT = 'Straße bei Müller in Łódź, smørrebrød, École, œuvre, déjà-vu, naïve';

test('ticket search ignores accents in the title, description and comments, in both composed and decomposed Unicode', async () => {
  const tenant = await platform.organization({ plan: 'custom' });
  const composed = await openTicket(tenant, { title: 'Café réseau', description: TEXT });
  const apart = await openTicket(tenant, { title: decomposed('Café réseau'), description: decomposed(TEXT) });
  const plain = await openTicket(tenant, { title: 'Cafe reseau', description: 'Nothing else' });
  const commented = await openTicket(tenant, { title: 'Nothing', description: 'Nothing' });
  const comment = await tenant.rest('POST', `/support/tickets/${commented.id}/comments`, { body: { content: `Café réseau ${TEXT}` } });
  expect(comment.status).toBe(201);
  const find = async (q: string) => {
    const response = await searchTickets(tenant, { filters: { q } });
    expect(response.body.pagination.total).toBe(response.body.tickets.length);
    return idsOf(response).toSorted();
  };
  const all = [composed, apart, plain, commented].map(({ id }) => id).toSorted();
  for (const q of SPELLINGS) expect(await find(q), q).toEqual(all);
  for (const q of OTHERS) expect(await find(q), q).toEqual(all.filter((id) => id !== plain.id));
  expect(await find('cafe -naïve')).toEqual([plain.id]);
  expect(await find('"reseau cafe"')).toEqual([]);
});

const write = async (tenant: Tenant, article: object): Promise<string> => {
  const response = await tenant.rest('POST', '/support/kb', { body: { category: 'general', status: 'published', ...article } });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data.id;
};
const hits = async (tenant: Tenant, q: string): Promise<Json[]> =>
  (await tenant.rest('GET', `/support/knowledge?q=${encodeURIComponent(q)}`)).body.data;

test('article search ignores accents in the title, summary, tags and body, and headlines contain the original spelling', async () => {
  const tenant = await platform.organization({ plan: 'custom' });
  const titled = await write(tenant, { title: 'Café réseau', body: 'x' });
  const summed = await write(tenant, { title: 'x', summary: 'Café réseau', body: 'x' });
  const tagged = await write(tenant, { title: 'x', tags: ['café', 'réseau'], body: 'y' });
  const inBody = await write(tenant, { title: 'x', body: `Café réseau. ${TEXT}` });
  const all = [titled, summed, tagged, inBody].toSorted();
  for (const q of SPELLINGS) expect((await hits(tenant, q)).map((hit) => hit.article_id).toSorted(), q).toEqual(all);
  for (const q of OTHERS)
    expect(
      (await hits(tenant, q)).map((hit) => hit.article_id),
      q,
    ).toEqual([inBody]);
  const marked = (await hits(tenant, 'cafe reseau')).find((hit) => hit.article_id === inBody);
  expect(marked?.headline).toContain('<mark>Café</mark> <mark>réseau</mark>');
  const listed = await tenant.rest('GET', '/support/kb?q=reseau&sort=title:asc');
  expect(listed.body.data).toHaveLength(4);
});

test('article search finds words with a similar spelling and ignores their accents', async () => {
  const tenant = await platform.organization({ plan: 'custom' });
  const id = await write(tenant, { title: 'Téléphonie résidentielle', body: 'x' });
  for (const q of ['telefonie', 'téléfonie', 'TELEFÓNIE']) {
    const [best] = await hits(tenant, q);
    expect(best, q).toMatchObject({ article_id: id, match: 'similar' });
    expect(best?.rank).toBeGreaterThanOrEqual(0.5);
  }
});

test.each([
  ['ligatures', 'ﷺ ﬁﬂ ㎏ '.repeat(9000)],
  [
    '16,000 different words of four-byte characters',
    Array.from({ length: 16_000 }, (_, index) => `${String.fromCodePoint(0x1d400 + (index % 50), 0x20000 + index)}é`).join(' '),
  ],
  ['45,000 characters with combining marks', '\u1e9b\u0323'.repeat(45_000)],
  ['one word of 99,000 accented letters', 'é'.repeat(99_000)],
])('an article with %s can be created and found by its title', async (_, body) => {
  const tenant = await platform.organization({ plan: 'custom' });
  const id = await write(tenant, { title: 'Hostile', body });
  expect((await hits(tenant, 'hostile')).map((hit) => hit.article_id)).toEqual([id]);
});
