import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

/** Creates an article of an organization. The platform's articles contain no word that these tests search for. */
const write = async (title: string, body: string, more: object = {}, caller = tenant): Promise<string> => {
  const sent = { title, body, category: 'general', status: 'published', ...more };
  const response = await caller.rest('POST', '/support/kb', { body: sent });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data.id;
};
const search = async (q: string, more = '', caller = tenant): Promise<Json[]> => {
  const { status, body } = await caller.rest('GET', `/support/knowledge?q=${encodeURIComponent(q)}${more}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
};
const found = async (q: string, more = '') => (await search(q, more)).map((hit) => hit.article_id);

describe('knowledge search', () => {
  test('a knowledge search finds all word forms and ranks matches in the title first, then in the summary, then in the body', async () => {
    const inBody = await write('Colours', `The platypus is a mammal. ${'Platypuses swim. '.repeat(5)}`);
    const inSummary = await write('Animals', 'They live in rivers.', { summary: 'About the platypus.' });
    const inTitle = await write('Feeding a platypus', 'Twice a day.');
    const hits = await search('platypuses');
    expect(hits.map((hit) => hit.article_id)).toEqual([inTitle, inSummary, inBody]);
    expect(hits.map((hit) => hit.rank)).toEqual(hits.map((hit) => hit.rank).toSorted((one, other) => other - one));
    expect(hits[0]).toEqual({
      article_id: inTitle,
      rank: expect.any(Number),
      match: 'words',
      headline: expect.any(String),
      article: {
        kind: 'article',
        title: 'Feeding a platypus',
        summary: '',
        category: 'general',
        tags: [],
        is_platform: false,
        updated_at: expect.any(String),
      },
    });
    expect(await found('platypus rivers')).toEqual([inSummary]);
  });

  test('a knowledge search supports quoted phrases, alternatives with "or", and excluded words with a minus sign', async () => {
    const first = await write('Wombat', 'The marsupial digs deep burrows.');
    const second = await write('Quokka', 'The marsupial smiles. Burrows are deep.');
    expect(await found('"deep burrows"')).toEqual([first]);
    expect((await found('marsupial deep burrows')).sort()).toEqual([first, second].sort());
    expect(await found('marsupial -smiles')).toEqual([first]);
    expect((await found('wombat or quokka')).sort()).toEqual([first, second].sort());
    // a search with operators returns no results that are only similar
    expect(await found('"burrows marsupial wombat"')).toEqual([]);
    expect(await found('wombat -marsupial')).toEqual([]);
  });

  test('a knowledge search finds articles by tag, finds FAQ entries, and can be filtered by category, kind and tag', async () => {
    const tagged = await write('Of tags', 'Nothing.', { tags: ['okapi'], category: 'cloud' });
    const faq = await write('What is an okapi?', 'A giraffe.', { kind: 'faq', category: 'ai' });
    expect((await found('okapi')).sort()).toEqual([tagged, faq].sort());
    expect(await found('okapi', '&category=cloud')).toEqual([tagged]);
    expect(await found('okapi', '&category=cloud,voice')).toEqual([tagged]);
    expect(await found('okapi', '&category=voice')).toEqual([]);
    expect(await found('okapi', '&kind=faq')).toEqual([faq]);
    expect(await found('okapi', '&tag=OKAPI')).toEqual([tagged]);
  });

  test.each([
    ['wolverene', 'wolverine'],
    ['wolvrine', 'wolverine'],
    ['wolverine habitatt', 'wolverine habitat'],
    ['where is the wolverine of kazakhstan', 'an article that has only one of the words'],
  ])('a knowledge search for "%s" finds %s and marks the result as similar', async (q) => {
    const caller = await platform.organization({ plan: 'custom' });
    const id = await write('Wolverine habitat', 'North.', { summary: 'Where it lives.' }, caller);
    const hits = await search(q, '', caller);
    expect(hits[0]).toMatchObject({ article_id: id, match: 'similar', headline: 'Where it lives.' });
    expect(hits[0].rank).toBeLessThanOrEqual(1);
  });

  test('a knowledge search that is filtered by an unused tag returns no results', async () => {
    expect(await found('several', '&tag=nobody-has-this')).toEqual([]);
  });

  test('a knowledge search for text without any similar article returns no results', async () => {
    for (const q of ['qqqqqqq', 'zzxxyy wwvvuu', 'a', '?!', '...', '   ', '-', '""', '!!! &&& |||']) expect(await found(q), q).toEqual([]);
  });

  test.each([
    `'; drop table "support"."article"; --`,
    '<script>alert(1)</script>',
    '"unbalanced',
    `it's "half`,
    '((( & | ! <-> :* \\',
    "'a' & 'b",
    '%_\\%',
    '$1 $2 ?',
    '-',
    'or or or',
    '\u{1F4DE} ☎ \uE000',
    'x'.repeat(500),
  ])('a knowledge search for the text %.30s with special characters returns 200', async (q) => {
    expect(Array.isArray(await search(q))).toBe(true);
    const { status } = await tenant.rest('GET', `/support/kb?q=${encodeURIComponent(q)}`);
    expect(status).toBe(200);
  });

  test('knowledge search headlines mark the matching words and escape all other markup', async () => {
    const nasty = 'The <b>axolotl</b> & "friends" say <img src=x onerror=alert(1)> \uE000evil\uE001 <mark>fake</mark> axolotl.';
    await write('Salamanders <script>alert(1)</script>', `## About\n\n${nasty}`, { summary: "It's <i>here</i>" });
    const [{ headline }] = await search('axolotl');
    expect(headline).toContain('<mark>axolotl</mark>');
    expect(headline.replaceAll('<mark>axolotl</mark>', '')).not.toMatch(/[<>\uE000\uE001]/);
    expect(headline).toContain('&amp;');
    expect(headline).not.toContain('##');

    await write('Frogs', '| a | b |\n\nThe [ranidae](https://example.com/x) are `many` **frogs**.');
    expect((await search('ranidae'))[0].headline).toBe('<mark>ranidae</mark> are many frogs');

    const [similar] = await search('salamandrs');
    expect(similar).toMatchObject({ match: 'similar', headline: 'It&#39;s &lt;i&gt;here&lt;/i&gt;' });
  });

  test('paging a knowledge search by page or by cursor returns every result exactly once', async () => {
    const caller = await platform.organization({ plan: 'custom' });
    const ids = [];
    for (let index = 0; index < 7; index += 1) ids.push(await write(`Capybara ${index}`, 'Same words.', {}, caller));
    const page = async (query: string) => (await caller.rest('GET', `/support/knowledge?q=capybara&${query}`)).body;
    const first = await page('per_page=3');
    expect(first.pagination).toMatchObject({ total: 7, pages: 3, page: 1, per_page: 3, has_more: true });
    const byPage = [...first.data, ...(await page('per_page=3&page=2')).data, ...(await page('per_page=3&page=3')).data];
    expect(byPage.map((hit) => hit.article_id)).toEqual(ids);
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, pagination }: Json = await page(`limit=3${cursor && `&cursor=${cursor}`}`);
      walked.push(...data.map((hit: Json) => hit.article_id));
      cursor = pagination.next_cursor;
    }
    expect(walked).toEqual(ids);
    expect((await page('page=9&per_page=3')).data).toEqual([]);
    const kb = await caller.rest('GET', '/support/kb?q=capybara&per_page=3&page=2');
    expect(kb.body.data.map(({ id }: Json) => id)).toEqual(ids.slice(3, 6));
  });

  test('a knowledge search without a search text returns all published articles, newest first', async () => {
    const id = await write('The very latest', 'Nothing.');
    const { body } = await tenant.rest('GET', '/support/knowledge?limit=5');
    expect(body.data[0]).toMatchObject({ article_id: id, match: 'all', rank: 0, headline: 'The very latest' });
  });

  test('after an article is renamed, a knowledge search finds the new title and not the old title', async () => {
    const id = await write('Kookaburra', 'It laughs.');
    await tenant.rest('PUT', `/support/kb/${id}`, { body: { title: 'Cassowary' } });
    expect(await found('kookaburra')).toEqual([]);
    expect(await found('cassowary')).toEqual([id]);
  });

  test('the number of SQL statements of a knowledge search over GraphQL does not depend on the number of results', async () => {
    const caller = await platform.organization({ plan: 'custom' });
    const query = '{ searchKnowledge(input: { q: "narwhal" }) { nodes { headline article { title helpfulness { ratings } } } } }';
    await write('Narwhal', 'One.', {}, caller);
    const cost = async () => (await platform.statements(() => caller.graphql(query))).length;
    await cost();
    const before = await cost();
    for (let index = 0; index < 5; index += 1) await write(`Narwhal ${index}`, 'More.', {}, caller);
    expect(await cost()).toBe(before);
    expect((await caller.graphql(query)).data.searchKnowledge.nodes).toHaveLength(6);
  });
});

describe('related articles', () => {
  test('articles are related by shared tags, or by category and a title word; articles with more shared tags are listed first', async () => {
    const of = await write('Echidna spines', 'x', { tags: ['monotreme', 'spines'], category: 'voice' });
    const both = await write('Hedgehog', 'x', { tags: ['spines', 'monotreme'] });
    const one = await write('Porcupine', 'x', { tags: ['spines'] });
    const likeness = await write('Drawing an echidna', 'x', { category: 'voice' });
    await write('Echidna in another category', 'x', { category: 'cloud' });
    const { body } = await tenant.rest('GET', `/support/kb/${of}`);
    expect(body.data.related.map(({ id }: Json) => id)).toEqual([both, one, likeness]);
  });
});
