import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

const DAY_MS = 86_400_000;

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

const rate = (body: object, caller = tenant) => caller.rest('POST', '/support/feedback', { body });
const resolved = async (caller = tenant): Promise<string> => {
  const { body } = await caller.rest('POST', '/support/tickets', { body: { title: 'Slow', description: 'Very.' } });
  await caller.rest('PUT', `/support/tickets/${body.ticket.id}`, { body: { status: 'resolved' } });
  return body.ticket.id;
};
const published = async (caller = tenant): Promise<string> => {
  const body = { title: 'Restart the router', body: 'Off and on.', category: 'connectivity', status: 'published' };
  return (await caller.rest('POST', '/support/kb', { body })).body.data.id;
};
const listed = async (query: string, caller = tenant): Promise<Json[]> =>
  (await caller.rest('GET', `/support/feedback?${query}`)).body.data;
const refusal = ({ status, body }: RestResponse): unknown[] => [status, body.error?.code];
const problems = ({ body }: RestResponse) => (body.error?.details.errors ?? []).map(({ field }: { field: string }) => field);

describe('feedback', () => {
  test('a caller can send feedback without a ticket or article several times, and every feedback is stored', async () => {
    const caller = await platform.organization();
    const first = await rate({ rating: 5, comment: 'Solved within the hour.' }, caller);
    expect(first.status).toBe(201);
    expect(first.body.data).toEqual({
      id: expect.stringMatching(/^fb_/),
      ticket_id: null,
      article_id: null,
      rating: 5,
      comment: 'Solved within the hour.',
      author_kind: 'api_key',
      author_id: expect.stringMatching(/^ak_/),
      created_at: expect.any(String),
      updated_at: first.body.data.created_at,
    });
    await rate({ rating: 2 }, caller);
    expect((await listed('sort=rating', caller)).map(({ rating, comment }) => [rating, comment])).toEqual([
      [2, null],
      [5, 'Solved within the hour.'],
    ]);
  });

  test.each([
    ['no fields', {}, ['rating']],
    ['a rating below the scale', { rating: 0 }, ['rating']],
    ['a rating above the scale', { rating: 6 }, ['rating']],
    ['a fractional rating', { rating: 4.5 }, ['rating']],
    ['a rating in words', { rating: 'great' }, ['rating']],
    ['an empty comment', { rating: 3, comment: '' }, ['comment']],
    ['a comment that is too long', { rating: 3, comment: 'x'.repeat(5001) }, ['comment']],
    ['invalid ids', { rating: 3, ticket_id: 'art_1', article_id: 'ticket_1' }, ['ticket_id', 'article_id']],
    ['both a ticket and an article', { rating: 3, ticket_id: 'ticket_1', article_id: 'art_1' }, ['article_id']],
    ['the id of another author', { rating: 3, author_id: 'ak_1' }, ['author_id']],
  ])('sending feedback with %s returns 400 INVALID_PARAMETERS and names the field', async (_, body, fields) => {
    const refused = await rate(body);
    expect(refusal(refused)).toEqual([400, 'INVALID_PARAMETERS']);
    expect(problems(refused)).toEqual(fields);
  });
});

describe('ticket ratings', () => {
  test('giving feedback on a ticket that is not resolved returns 409 INVALID_STATE', async () => {
    const { body } = await tenant.rest('POST', '/support/tickets', { body: { title: 'Slow', description: 'Very.' } });
    const { id } = body.ticket;
    const early = await rate({ rating: 4, ticket_id: id });
    expect(refusal(early)).toEqual([409, 'INVALID_STATE']);
    expect(early.body.error.details).toMatchObject({ id, status: 'open' });
    await tenant.rest('PUT', `/support/tickets/${id}`, { body: { status: 'resolved' } });
    expect((await rate({ rating: 4, ticket_id: id })).status).toBe(201);
    await tenant.rest('PUT', `/support/tickets/${id}`, { body: { status: 'open' } });
    expect(refusal(await rate({ rating: 1, ticket_id: id }))).toEqual([409, 'INVALID_STATE']);
    expect(await listed(`ticket_id=${id}`)).toMatchObject([{ rating: 4 }]);
  });

  test('a second rating of a ticket by the same organization replaces the first rating', async () => {
    const id = await resolved();
    const other = await tenant.limitedTo('support:create');
    const first = (await rate({ rating: 2, comment: 'Late', ticket_id: id })).body.data;
    const second = await rate({ rating: 5, ticket_id: id }, other);
    expect(second.status).toBe(201);
    expect(second.body.data).toMatchObject({ id: first.id, ticket_id: id, rating: 5, comment: null, created_at: first.created_at });
    expect(second.body.data.author_id).not.toBe(first.author_id);
    expect(await listed(`ticket_id=${id}`)).toEqual([second.body.data]);
    const { data } = await tenant.graphql('query ($id: ID!) { ticket(id: $id) { feedback { rating ticket { id } article { id } } } }', {
      id,
    });
    expect(data.ticket.feedback).toEqual({ rating: 5, ticket: { id }, article: null });
  });

  test("if support staff change a customer's rating of a ticket, the response is 409 INVALID_STATE", async () => {
    const id = await resolved();
    const [customer, agent] = [await tenant.limitedTo('support:create'), await tenant.limitedTo('support:write')];
    const given = (await rate({ rating: 1, comment: 'Late', ticket_id: id }, customer)).body.data;
    for (const caller of [agent, tenant]) {
      const refused = await rate({ rating: 5, ticket_id: id }, caller);
      expect(refusal(refused)).toEqual([409, 'INVALID_STATE']);
      expect(refused.body.error.details).toMatchObject({ id: given.id, ticket_id: id });
    }
    expect(await listed(`ticket_id=${id}`)).toEqual([given]);

    const unrated = await resolved();
    for (const rating of [4, 5]) expect((await rate({ rating, ticket_id: unrated }, agent)).status).toBe(201);
    expect((await rate({ rating: 2, ticket_id: unrated }, customer)).status).toBe(201);
    expect(await listed(`ticket_id=${unrated}`)).toMatchObject([{ rating: 2, author_id: given.author_id }]);
  });

  test('five concurrent ratings of a ticket all return 201 and leave one rating', async () => {
    const id = await resolved();
    const responses = await Promise.all([1, 2, 3, 4, 5].map((rating) => rate({ rating, ticket_id: id })));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(await listed(`ticket_id=${id}`)).toHaveLength(1);
  });

  test('rating an unknown ticket or a ticket of another organization returns 404 RESOURCE_NOT_FOUND', async () => {
    const id = await resolved();
    const stranger = await platform.organization();
    for (const refused of [await rate({ rating: 1, ticket_id: id }, stranger), await rate({ rating: 1, ticket_id: 'ticket_none' })]) {
      expect(refusal(refused)).toEqual([404, 'RESOURCE_NOT_FOUND']);
    }
    await rate({ rating: 5, ticket_id: id });
    expect(await listed('', stranger)).toEqual([]);
    expect(await listed(`ticket_id=${id}`, stranger)).toEqual([]);
  });

  test('a ticket rating can be changed for 14 days after the ticket is resolved, and later changes return 409', async () => {
    const id = await resolved();
    await rate({ rating: 3, ticket_id: id });
    await platform.advance(13 * DAY_MS);
    const changed = await rate({ rating: 4, ticket_id: id });
    expect(changed.status).toBe(201);
    expect(Date.parse(changed.body.data.updated_at)).toBeGreaterThan(Date.parse(changed.body.data.created_at));
    await platform.advance(1.1 * DAY_MS);
    const late = await rate({ rating: 1, ticket_id: id });
    expect(refusal(late)).toEqual([409, 'INVALID_STATE']);
    expect(late.body.error.details.until).toEqual(expect.any(String));
    expect(await listed(`ticket_id=${id}`)).toMatchObject([{ rating: 4 }]);
    // resolving the ticket again starts a new period
    await tenant.rest('PUT', `/support/tickets/${id}`, { body: { status: 'open' } });
    await tenant.rest('PUT', `/support/tickets/${id}`, { body: { status: 'resolved' } });
    expect((await rate({ rating: 5, ticket_id: id })).status).toBe(201);
  });
});

describe('article ratings', () => {
  test('each reader has one rating per article, and the helpfulness of an article is computed from all ratings', async () => {
    const id = await published();
    const readers = [tenant];
    for (let index = 0; index < 3; index += 1) readers.push(await tenant.limitedTo('support:create'));
    const given = [5, 4, 3, 1];
    for (const [index, reader] of readers.entries())
      expect((await rate({ rating: given[index], article_id: id }, reader)).status).toBe(201);
    const helpfulness = async () => (await tenant.rest('GET', `/support/kb/${id}`)).body.data.helpfulness;
    expect(await helpfulness()).toEqual({ ratings: 4, helpful: 2, unhelpful: 1, average_rating: 3.25 });
    await Promise.all([2, 2, 2].map((rating) => rate({ rating, article_id: id })));
    expect(await helpfulness()).toEqual({ ratings: 4, helpful: 1, unhelpful: 2, average_rating: 2.5 });
  });

  test('rating an archived article or an article of another organization returns 404, and each organization has its own ratings of platform articles', async () => {
    const id = await published();
    const stranger = await platform.organization();
    expect(refusal(await rate({ rating: 5, article_id: id }, stranger))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    await tenant.rest('PUT', `/support/kb/${id}`, { body: { status: 'archived' } });
    expect(refusal(await rate({ rating: 5, article_id: id }))).toEqual([404, 'RESOURCE_NOT_FOUND']);

    const { body } = await stranger.rest('GET', '/support/kb?q=webhook');
    const common = body.data.find(({ is_platform }: Json) => is_platform).id;
    expect((await rate({ rating: 1, article_id: common }, stranger)).status).toBe(201);
    const ratings = async (caller: Tenant) => (await caller.rest('GET', `/support/kb/${common}`)).body.data.helpfulness.ratings;
    expect([await ratings(stranger), await ratings(await platform.organization())]).toEqual([1, 0]);
  });

  test('deleting an article deletes its ratings', async () => {
    const id = await published();
    await rate({ rating: 1, article_id: id });
    expect(await listed(`article_id=${id}`)).toHaveLength(1);
    await tenant.rest('DELETE', `/support/kb/${id}`);
    expect(await listed(`article_id=${id}`)).toEqual([]);
  });
});
