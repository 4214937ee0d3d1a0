import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

const article = {
  title: 'Reach the office network',
  body: 'Install the client and sign in.',
  category: 'connectivity',
  status: 'published',
};

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

const write = async (body: object = {}, caller = tenant): Promise<Json> => {
  const response = await caller.rest('POST', '/support/kb', { body: { ...article, ...body } });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data;
};
const read = (id: string, caller = tenant) => caller.rest('GET', `/support/kb/${id}`);
const change = (id: string, body: object, caller = tenant) => caller.rest('PUT', `/support/kb/${id}`, { body });
const refusal = ({ status, body }: RestResponse): unknown[] => [
  status,
  body.error?.code,
  (body.error?.details.errors ?? []).map(({ field }: { field: string }) => field),
];

describe('articles', () => {
  test('an article can be created, read, changed and deleted, and returns 404 after the deletion', async () => {
    const written = await write({ summary: 'With the VPN.', tags: ['VPN', 'vpn', 'Remote work'], status: undefined });
    expect(written).toMatchObject({
      id: expect.stringMatching(/^art_/),
      kind: 'article',
      title: article.title,
      summary: 'With the VPN.',
      body: article.body,
      category: 'connectivity',
      tags: ['vpn', 'remote work'],
      status: 'draft',
      version: 1,
      is_platform: false,
      published_at: null,
      author_kind: 'api_key',
      helpfulness: { ratings: 0, helpful: 0, unhelpful: 0, average_rating: null },
    });
    expect((await read(written.id)).body.data).toEqual(written);

    const changed = await change(written.id, { body: 'Install it.', status: 'published' });
    expect(changed.body.data).toMatchObject({ title: article.title, body: 'Install it.', status: 'published', version: 2 });
    expect(changed.body.data.published_at).toBe(changed.body.data.updated_at);

    expect((await tenant.rest('DELETE', `/support/kb/${written.id}`)).body.data).toMatchObject({ id: written.id, status: 'published' });
    for (const response of [
      await read(written.id),
      await change(written.id, {}),
      await tenant.rest('DELETE', `/support/kb/${written.id}`),
    ]) {
      expect([response.status, response.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    }
  });

  test('an update that changes nothing does not change the version or update time of an article', async () => {
    const written = await write();
    expect((await change(written.id, { title: article.title, status: 'published' })).body.data).toEqual(written);
  });

  test('publishing an archived article returns 409 INVALID_STATE until the article is set to draft', async () => {
    const { id } = await write();
    expect((await change(id, { status: 'archived' })).body.data).toMatchObject({ status: 'archived', version: 1 });
    const refused = await change(id, { status: 'published', title: 'Not kept' });
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: 'archived', to: 'published', allowed: ['draft'] } });
    expect((await read(id)).body.data).toMatchObject({ status: 'archived', title: article.title, version: 1 });
    for (const status of ['draft', 'published']) expect((await change(id, { status })).body.data).toMatchObject({ status, version: 1 });
    expect(refusal(await change(id, { status: 'nowhere' }))).toEqual([400, 'INVALID_PARAMETERS', ['status']]);
  });

  test.each([
    ['no fields', {}, ['title', 'body', 'category']],
    ['empty texts', { ...article, title: '', body: '' }, ['title', 'body']],
    [
      'texts that are too long',
      { ...article, title: 'x'.repeat(201), summary: 'x'.repeat(501), body: 'x'.repeat(100_001) },
      ['title', 'summary', 'body'],
    ],
    ['an unknown category', { ...article, category: 'plumbing' }, ['category']],
    ['invalid tags', { ...article, tags: ['fine', '<b>'] }, ['tags']],
    ['too many tags', { ...article, tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }, ['tags']],
    ['a position below 1', { ...article, position: -1 }, ['position']],
    ['an unknown field', { ...article, titel: 'x' }, ['titel']],
    [
      'fields that only the platform sets',
      { ...article, version: 7, is_platform: true, organization_id: 'org_1' },
      ['version', 'is_platform', 'organization_id'],
    ],
  ])('creating an article with %s returns 400 INVALID_PARAMETERS and names each field', async (_, body, fields) => {
    const refused = refusal(await tenant.rest('POST', '/support/kb', { body }));
    expect(refused).toEqual([400, 'INVALID_PARAMETERS', expect.arrayContaining(fields)]);
    expect(refused[2]).toHaveLength(fields.length);
  });

  test('setting the required fields of an article to null returns 400 INVALID_PARAMETERS', async () => {
    const { id } = await write();
    expect(refusal(await change(id, { title: null, tags: null }))).toEqual([400, 'INVALID_PARAMETERS', ['title', 'tags']]);
  });
});

describe('article visibility', () => {
  test('drafts and archived articles are returned only to callers with support:write, in every operation', async () => {
    const word = 'Zwielicht';
    const [draft, published] = [await write({ title: `${word} one`, status: 'draft' }), await write({ title: `${word} two` })];
    const archived = await write({ title: `${word} three` });
    await change(archived.id, { status: 'archived' });
    const question = await write({ title: `${word} four?`, kind: 'faq', status: 'draft' });
    const reader = await tenant.limitedTo('support:read');

    for (const { id } of [draft, archived, question]) {
      expect((await read(id)).status).toBe(200);
      expect((await read(id, reader)).status).toBe(404);
    }
    const ids = async (path: string, caller: Tenant) =>
      (await caller.rest('GET', path)).body.data.map((hit: Json) => hit.id ?? hit.article_id).sort();
    const all = [draft.id, archived.id, published.id, question.id].sort();
    for (const caller of [tenant, reader]) {
      expect(await ids(`/support/kb?q=${word}`, caller)).toEqual([published.id]);
      expect(await ids(`/support/knowledge?q=${word}`, caller)).toEqual([published.id]);
      expect(JSON.stringify((await caller.rest('GET', '/support/faq')).body)).not.toContain(question.id);
    }
    const every = 'status=draft,published,archived';
    expect(await ids(`/support/kb?q=${word}&${every}`, tenant)).toEqual(all);
    expect(await ids(`/support/kb?q=${word}&sort=title&${every}`, tenant)).toEqual(all);
    expect(await ids(`/support/kb?q=${word}&${every}`, reader)).toEqual([published.id]);
    expect(await ids('/support/kb?status=draft', reader)).toEqual([]);
    const { data } = await reader.graphql('query ($id: ID!) { article(id: $id) { related { id } } }', { id: published.id });
    expect(data.article.related.map(({ id }: Json) => id)).not.toContain(draft.id);
  });

  test('reading, changing or rating an article of another organization returns 404, and lists and searches do not contain the article', async () => {
    const owner = await platform.organization({ plan: 'custom' });
    const mine = await write({ title: 'Xylophone tuning', tags: ['xylophone'] });
    const theirs = await write({ title: 'Xylophone repair', tags: ['xylophone'], kind: 'faq' }, owner);
    for (const path of [
      '/support/kb?limit=200',
      '/support/kb?q=xylophone',
      '/support/kb?q=xylofone',
      '/support/kb?tag=xylophone',
      '/support/knowledge?q=xylophone',
      '/support/knowledge?q=xylofone',
      '/support/faq',
    ]) {
      const { status, body } = await tenant.rest('GET', path);
      expect(status, path).toBe(200);
      expect(JSON.stringify(body), path).not.toContain(theirs.id);
    }
    expect((await read(mine.id)).body.data.related.map(({ id }: Json) => id)).not.toContain(theirs.id);
    const responses = [
      await read(theirs.id),
      await change(theirs.id, { title: 'Mine' }),
      await tenant.rest('DELETE', `/support/kb/${theirs.id}`),
      await tenant.rest('POST', '/support/feedback', { body: { rating: 1, article_id: theirs.id } }),
    ];
    for (const response of responses) expect([response.status, response.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect((await read(theirs.id, owner)).body.data).toEqual(theirs);
  });

  test('an operation on articles or feedback returns 403 if the caller lacks the permission of the operation', async () => {
    const { id } = await write();
    const callers: Tenant[] = [];
    for (const grant of ['support:read', 'support:create', 'support:write', 'billing:read'] as const)
      callers.push(await tenant.limitedTo(grant));
    const statuses = async (method: string, path: string, body?: object) =>
      Promise.all(callers.map(async (caller) => (await caller.rest(method, path, { body })).status));
    for (const path of ['/support/kb', `/support/kb/${id}`, '/support/faq', '/support/knowledge', '/support/feedback'])
      expect(await statuses('GET', path), path).toEqual([200, 403, 403, 403]);
    expect(await statuses('POST', '/support/kb', article)).toEqual([403, 403, 201, 403]);
    expect(await statuses('PUT', `/support/kb/${id}`, { title: 'x' })).toEqual([403, 403, 200, 403]);
    expect(await statuses('POST', '/support/feedback', { rating: 3 })).toEqual([403, 201, 201, 403]);
  });
});

describe('article list', () => {
  test('the article list can be filtered by category, tag and kind, sorted, and paged by page or cursor', async () => {
    const caller = await platform.organization({ plan: 'custom' });
    const tag = 'paged list';
    const ids: string[] = [];
    for (const [title, category] of [
      ['A', 'voice'],
      ['B', 'voice'],
      ['C', 'cloud'],
      ['D', 'billing'],
      ['E', 'voice'],
    ] as const)
      ids.push((await write({ title, category, tags: [tag], kind: title === 'E' ? 'faq' : 'article' }, caller)).id);
    const [a, b, c, d, e] = ids;
    const list = async (query: string) => (await caller.rest('GET', `/support/kb?tag=${encodeURIComponent(tag)}&${query}`)).body;
    const listed = async (query: string) => (await list(query)).data.map(({ id }: Json) => id);

    expect(await listed('sort=title')).toEqual([a, b, c, d, e]);
    expect(await listed('sort=title&category=voice,billing')).toEqual([a, b, d, e]);
    expect(await listed('sort=category,title:desc&kind=article')).toEqual([d, c, b, a]);
    expect(await listed('sort=title&page=2&per_page=2')).toEqual([c, d]);
    expect((await list('per_page=2')).pagination).toMatchObject({ total: 5, page: 1, per_page: 2, pages: 3, has_more: true });
    const walked: string[] = [];
    let cursor = '';
    do {
      const { data, pagination } = await list(`sort=title&limit=2${cursor && `&cursor=${cursor}`}`);
      walked.push(...data.map(({ id }: Json) => id));
      if (!cursor) await write({ title: '0', tags: [tag] }, caller);
      cursor = pagination.next_cursor ?? '';
    } while (cursor);
    expect(walked).toEqual(ids);
  });

  test('the number of SQL statements of the article list does not depend on the number of articles', async () => {
    const caller = await platform.organization({ plan: 'custom' });
    const query = '{ articles(page: { limit: 20 }) { nodes { title helpfulness { ratings } related(limit: 3) { title } } } }';
    const cost = async () => (await platform.statements(() => caller.graphql(query))).length;
    await cost();
    const before = await cost();
    for (let index = 0; index < 5; index += 1) await write({ title: `Article ${index}` }, caller);
    expect(await cost()).toBe(before);
  });

  test.each([
    ['q=', ['q']],
    [`q=${'x'.repeat(10_000)}`, ['q']],
    ['category=plumbing', ['category']],
    ['tag=%3Cb%3E', ['tag']],
    ['kind=story', ['kind']],
    ['status=lost', ['status']],
    ['sort=colour', ['sort']],
    ['limit=0', ['limit']],
    ['cursor=nonsense', ['cursor']],
    ['colour=red', ['colour']],
  ])('listing articles with the invalid parameter %.40s returns 400 INVALID_PARAMETERS and names the parameter', async (query, fields) => {
    expect(refusal(await tenant.rest('GET', `/support/kb?${query}`))).toEqual([400, 'INVALID_PARAMETERS', fields]);
    if (!/status|sort/.test(query))
      expect(refusal(await tenant.rest('GET', `/support/knowledge?${query}`))).toEqual([400, 'INVALID_PARAMETERS', fields]);
  });
});

describe('FAQ', () => {
  test('the FAQ is grouped by category, and its questions are sorted by position', async () => {
    const caller = await platform.organization({ plan: 'custom' });
    const second = await write({ kind: 'faq', title: 'Second?', category: 'ai', position: 901 }, caller);
    const first = await write({ kind: 'faq', title: 'First?', category: 'ai', position: 900, body: 'Yes.' }, caller);
    await write({ title: 'No question', category: 'ai' }, caller);
    const { body } = await caller.rest('GET', '/support/faq?category=ai');
    expect(body.data.map(({ category }: Json) => category)).toEqual(['ai']);
    const own = body.data[0].questions.filter(({ id }: Json) => [first.id, second.id].includes(id));
    expect(own).toEqual([
      { id: first.id, question: 'First?', answer: 'Yes.', tags: [], updated_at: first.updated_at },
      { id: second.id, question: 'Second?', answer: article.body, tags: [], updated_at: second.updated_at },
    ]);
    expect(refusal(await caller.rest('GET', '/support/faq?category=plumbing'))).toEqual([400, 'INVALID_PARAMETERS', ['category']]);
    expect((await caller.rest('GET', '/support/faq')).body.data.length).toBeGreaterThan(1);
  });
});
