import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import type { Answer, Json, Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';

const ticket = { title: 'Internet connection is down', description: 'No light since 9:30.' };
const file = { filename: 'log.txt', content_type: 'text/plain', data: Buffer.from('no light').toString('base64') };

let platform: Rig;
/** The desk: may do everything. */
let desk: Tenant;
/** A program of the customer. */
let customer: Tenant;
beforeAll(async () => {
  platform = await rig();
  desk = await platform.organization();
  customer = await desk.limitedTo('support:read', 'support:create');
});

async function opened(body: object = {}, by = desk): Promise<Json> {
  return (await by.rest('POST', '/support/tickets', { body: { ...ticket, ...body } })).body.ticket;
}
const say = (id: string, body: object, by = desk) =>
  by.rest('POST', `/support/tickets/${id}/comments`, { body: { content: 'A technician is on the way.', ...body } });
async function said(id: string, body: object = {}, by = desk): Promise<Json> {
  const answer = await say(id, body, by);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.comment;
}
const read = async (id: string, by = desk) => (await by.rest('GET', `/support/tickets/${id}`)).body.ticket;
const listed = async (id: string, by = desk) => (await by.rest('GET', `/support/tickets/${id}/comments`)).body.comments as Json[];
const refusal = ({ status, body }: Answer) => [
  status,
  body.error?.code,
  body.error?.details.field ?? body.error?.details.required ?? body.error?.details.resource,
];
const slaOf = async (id: string) =>
  (await desk.graphql('query($id: ID!) { ticket(id: $id) { status sla { respondedAt } updatedAt } }', { id })).data.ticket;

describe('a comment', () => {
  test('shows every member of the specification, and its files can be downloaded', async () => {
    const { id, assigned_to } = await opened();
    const sent = { type: 'customer_update', visibility: 'customer', metadata: { shift: 2 }, content: 'Fixed — Grüße' };
    const comment = await said(id, {
      ...sent,
      author: { type: 'agent', id: assigned_to.agent_id, name: 'Somebody else' },
      attachments: [file],
    });
    expect(comment).toEqual({
      ...sent,
      id: expect.stringMatching(/^comment_/),
      ticket_id: id,
      created_at: expect.stringMatching(/Z$/),
      author: { type: 'agent', id: assigned_to.agent_id, name: assigned_to.name, email: assigned_to.email },
      attachments: [
        { id: expect.stringMatching(/^att_/), filename: 'log.txt', content_type: 'text/plain', size: 8, download_url: expect.any(String) },
      ],
    });
    const answer = await fetch(comment.attachments[0].download_url, { headers: { authorization: `Bearer ${customer.apiKey}` } });
    expect(await answer.text()).toBe('no light');
    expect(await listed(id)).toEqual([comment]);
    const { data } = await desk.graphql(
      `query($ticket: ID!, $id: ID!) { comment(id: $id) { content author { type } } ticket(id: $ticket) { attachments { commentId } comments(limit: 1) { id attachments { filename } } } }`,
      { ticket: id, id: comment.id },
    );
    expect(data).toEqual({
      comment: { content: sent.content, author: { type: 'AGENT' } },
      ticket: { attachments: [{ commentId: comment.id }], comments: [{ id: comment.id, attachments: [{ filename: 'log.txt' }] }] },
    });
  });

  test('is a reply to the customer unless it says otherwise, and an internal one is a note', async () => {
    const { id } = await opened();
    expect(await said(id)).toMatchObject({ type: 'reply', visibility: 'customer', metadata: {}, attachments: [] });
    expect(await said(id, { visibility: 'internal' })).toMatchObject({ type: 'internal_note', visibility: 'internal' });
    expect(await said(id, { type: 'internal_note' })).toMatchObject({ type: 'internal_note', visibility: 'internal' });
    expect(await said(id, { type: 'handover' })).toMatchObject({ type: 'handover', visibility: 'customer' });
  });

  test.each([
    ['nothing', { content: undefined }, [400, 'INVALID_PARAMETERS', 'content']],
    ['an empty text', { content: '' }, [400, 'INVALID_PARAMETERS', 'content']],
    ['a text that is too long', { content: 'x'.repeat(20_001) }, [400, 'INVALID_PARAMETERS', 'content']],
    ['an unknown visibility', { visibility: 'everybody' }, [400, 'INVALID_PARAMETERS', 'visibility']],
    ['a type that is no word', { type: 'Two Words' }, [400, 'INVALID_PARAMETERS', 'type']],
    ['a note for customers', { type: 'internal_note', visibility: 'customer' }, [400, 'INVALID_PARAMETERS', 'visibility']],
    ['an author of no kind', { author: { name: 'Ada' } }, [400, 'INVALID_PARAMETERS', 'author.type']],
    ['an agent without an id', { author: { type: 'agent', name: 'Ada' } }, [400, 'INVALID_PARAMETERS', 'author.id']],
    [
      'an agent that there is not',
      { author: { type: 'agent', id: 'agent_01JQ8Z6V4T9M3N2B1C0D9E8F7G' } },
      [404, 'RESOURCE_NOT_FOUND', 'agent'],
    ],
    [
      'a user that there is not',
      { author: { type: 'customer', id: 'user_01JQ8Z6V4T9M3N2B1C0D9E8F7G' } },
      [404, 'RESOURCE_NOT_FOUND', 'user'],
    ],
    [
      'a customer that there is not',
      { author: { type: 'customer', id: 'cust_01JQ8Z6V4T9M3N2B1C0D9E8F7G' } },
      [404, 'RESOURCE_NOT_FOUND', 'customer'],
    ],
    ['a customer by some other id', { author: { type: 'customer', id: 'acc_1' } }, [400, 'INVALID_PARAMETERS', 'author.id']],
    ['a file that is not taken', { attachments: [{ ...file, filename: 'a.exe' }] }, [400, 'INVALID_PARAMETERS', 'attachments.0.filename']],
  ])('with %s is refused, and nothing is kept', async (_, body, expected) => {
    const { id } = await opened();
    expect(refusal(await say(id, body))).toEqual(expected);
    expect(await listed(id)).toEqual([]);
  });

  test('on a ticket of another organization is 404, and so is reading there', async () => {
    const { id } = await opened();
    const comment = await said(id);
    const stranger = await platform.organization();
    expect(refusal(await say(id, {}, stranger))).toEqual([404, 'RESOURCE_NOT_FOUND', 'ticket']);
    expect(refusal(await stranger.rest('GET', `/support/tickets/${id}/comments`))).toEqual([404, 'RESOURCE_NOT_FOUND', 'ticket']);
    expect((await stranger.graphql('query($id: ID!) { comment(id: $id) { id } }', { id: comment.id })).data).toEqual({ comment: null });
  });

  test('among many is paged, newest first', async () => {
    const { id } = await opened();
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.unshift((await said(id, { content: `${count}` })).id);
    const { body } = await desk.rest('GET', `/support/tickets/${id}/comments?limit=2`);
    expect(body.comments.map((comment: Json) => comment.id)).toEqual(ids.slice(0, 2));
    expect(body.pagination).toMatchObject({ total: 3, has_more: true });
    const next = await desk.rest('GET', `/support/tickets/${id}/comments?limit=2&cursor=${body.pagination.next_cursor}`);
    expect(next.body.comments.map((comment: Json) => comment.id)).toEqual(ids.slice(2));
  });
});

describe('its author', () => {
  test('is the caller: a user by name and address, a key by its name; on the desk by its permission', async () => {
    const { id } = await opened();
    const user = await userOf(desk, 'owner');
    expect((await said(id, {}, user)).author).toEqual({ type: 'agent', id: user.id, name: expect.any(String), email: user.email });
    expect((await said(id, {}, customer)).author).toEqual({
      type: 'customer',
      id: expect.stringMatching(/^ak_/),
      name: 'limited',
      email: null,
    });
    expect((await said(id)).author).toMatchObject({ type: 'agent', id: expect.stringMatching(/^ak_/) });
  });

  test('may be stated by a program of the desk', async () => {
    const { id } = await opened();
    const account = (await desk.rest('POST', '/accounts', { body: { name: 'Hudson', email: 'it@hudson.example' } })).body.data;
    const author = async (stated: object) => (await said(id, { author: stated })).author;
    expect(await author({ type: 'customer', id: account.customer_id, name: 'Ada' })).toEqual({
      type: 'customer',
      id: account.customer_id,
      name: 'Ada',
      email: 'it@hudson.example',
    });
    expect(await author({ type: 'system', id: 'monitoring', name: 'Monitoring' })).toEqual({
      type: 'system',
      id: 'monitoring',
      name: 'Monitoring',
      email: null,
    });
  });

  test('is nobody else for users, and neither agent nor system for customers', async () => {
    const { id, assigned_to } = await opened();
    const user = await userOf(desk, 'owner');
    expect(refusal(await say(id, { author: { type: 'agent', id: assigned_to.agent_id } }, user))).toEqual([
      400,
      'INVALID_PARAMETERS',
      'author',
    ]);
    for (const author of [{ type: 'agent', id: assigned_to.agent_id }, { type: 'system' }, { type: 'customer', id: user.id }])
      expect(refusal(await say(id, { author }, customer))).toEqual([403, 'INSUFFICIENT_PERMISSIONS', 'support:write']);
    expect((await said(id, { author: { type: 'customer', name: 'Ada' } }, customer)).author).toMatchObject({
      type: 'customer',
      name: 'Ada',
    });
  });
});

describe('what is internal', () => {
  test('is written and read by the desk alone, with its files', async () => {
    const { id } = await opened();
    const note = await said(id, {
      content: 'Line test ordered',
      visibility: 'internal',
      attachments: [{ ...file, filename: 'secret.txt' }],
    });
    await said(id, { content: 'We are on it' });
    for (const body of [{ visibility: 'internal' }, { type: 'internal_note' }])
      expect(refusal(await say(id, body, customer))).toEqual([403, 'INSUFFICIENT_PERMISSIONS', 'support:write']);

    expect((await listed(id)).map(({ content }) => content)).toEqual(['We are on it', 'Line test ordered']);
    expect((await listed(id, customer)).map(({ content }) => content)).toEqual(['We are on it']);
    expect((await customer.rest('GET', `/support/tickets/${id}/comments`)).body.pagination.total).toBe(1);
    expect((await read(id)).attachments).toHaveLength(1);
    expect((await read(id, customer)).attachments).toEqual([]);
    const query =
      'query($id: ID!, $note: ID!) { comment(id: $note) { content } ticket(id: $id) { comments { content } attachments { filename } } }';
    expect((await customer.graphql(query, { id, note: note.id })).data).toEqual({
      comment: null,
      ticket: { comments: [{ content: 'We are on it' }], attachments: [] },
    });
    const download = (by: Tenant) => fetch(note.attachments[0].download_url, { headers: { authorization: `Bearer ${by.apiKey}` } });
    expect([(await download(desk)).status, (await download(customer)).status]).toEqual([200, 404]);
  });
});

describe('a comment and its ticket', () => {
  test('the first one of the desk that the customer sees answers it', async () => {
    const { id } = await opened();
    await said(id, {}, customer);
    await said(id, { visibility: 'internal' });
    await said(id, { author: { type: 'system' } });
    expect((await slaOf(id)).sla.respondedAt).toBeNull();
    const { created_at } = await said(id);
    await platform.advance(60_000);
    await said(id);
    expect((await slaOf(id)).sla.respondedAt).toBe(created_at);
  });

  test('one of the customer reopens it when it was resolved; others do not', async () => {
    const { id } = await opened();
    await desk.rest('PUT', `/support/tickets/${id}`, { body: { status: 'resolved' } });
    await said(id);
    await said(id, { visibility: 'internal' });
    expect((await slaOf(id)).status).toBe('RESOLVED');
    await said(id, {}, customer);
    expect((await slaOf(id)).status).toBe('OPEN');
  });

  test('each one is a change of it', async () => {
    const { id, updated_at } = await opened();
    await platform.advance(1_000);
    const { created_at } = await said(id);
    expect((await slaOf(id)).updatedAt).toBe(created_at);
    expect(created_at > updated_at).toBe(true);
  });

  test('an update’s internal_notes and customer_update are comments', async () => {
    const { id } = await opened();
    const change = (body: object) => desk.rest('PUT', `/support/tickets/${id}`, { body });
    await change({ internal_notes: 'Line test ordered', customer_update: 'We are on it' });
    // the same again tells nobody anything
    await change({ customer_update: 'We are on it', internal_notes: null });
    await change({ customer_update: null });
    expect((await listed(id)).map(({ type, visibility, content }) => [type, visibility, content]).toSorted()).toEqual([
      ['customer_update', 'customer', 'We are on it'],
      ['internal_note', 'internal', 'Line test ordered'],
    ]);
    expect((await slaOf(id)).sla.respondedAt).not.toBeNull();
    expect(JSON.stringify(await read(id, customer))).not.toContain('Line test');
    expect((await change({ internal_notes: 'x', status: 'nonsense' })).status).toBe(400);
    expect(await listed(id)).toHaveLength(2);
  });

  test('many at once are all kept', async () => {
    const { id } = await opened();
    await Promise.all(Array.from({ length: 8 }, (_, index) => said(id, { content: `${index}` })));
    expect(await listed(id)).toHaveLength(8);
  });
});
