import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';

const ticket = { title: 'Internet connection is down', description: 'No light since 9:30.' };
const file = { filename: 'log.txt', content_type: 'text/plain', data: Buffer.from('no light').toString('base64') };

let platform: Rig;
/** Support staff with all permissions. */
let staff: Tenant;
/** An API client of the customer. */
let customer: Tenant;
beforeAll(async () => {
  platform = await rig();
  staff = await platform.organization();
  customer = await staff.limitedTo('support:read', 'support:create');
});

async function openTicketAs(body: object = {}, by = staff): Promise<Json> {
  return (await by.rest('POST', '/support/tickets', { body: { ...ticket, ...body } })).body.ticket;
}
const postComment = (id: string, body: object, by = staff) =>
  by.rest('POST', `/support/tickets/${id}/comments`, { body: { content: 'A technician is on the way.', ...body } });
async function createComment(id: string, body: object = {}, by = staff): Promise<Json> {
  const response = await postComment(id, body, by);
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.comment;
}
const read = async (id: string, by = staff) => (await by.rest('GET', `/support/tickets/${id}`)).body.ticket;
const commentsOf = async (id: string, by = staff) => (await by.rest('GET', `/support/tickets/${id}/comments`)).body.comments as Json[];
const refusal = ({ status, body }: RestResponse) => [
  status,
  body.error?.code,
  body.error?.details.field ?? body.error?.details.required ?? body.error?.details.resource,
];
const slaOf = async (id: string) =>
  (await staff.graphql('query($id: ID!) { ticket(id: $id) { status sla { respondedAt } updatedAt } }', { id })).data.ticket;

describe('ticket comments', () => {
  test('a created comment is returned with every field of the specification, and its attachments can be downloaded', async () => {
    const { id, assigned_to } = await openTicketAs();
    const sent = { type: 'customer_update', visibility: 'customer', metadata: { shift: 2 }, content: 'Fixed — Grüße' };
    const comment = await createComment(id, {
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
    const response = await fetch(comment.attachments[0].download_url, { headers: { authorization: `Bearer ${customer.apiKey}` } });
    expect(await response.text()).toBe('no light');
    expect(await commentsOf(id)).toEqual([comment]);
    const { data } = await staff.graphql(
      `query($ticket: ID!, $id: ID!) { comment(id: $id) { content author { type } } ticket(id: $ticket) { attachments { commentId } comments(limit: 1) { id attachments { filename } } } }`,
      { ticket: id, id: comment.id },
    );
    expect(data).toEqual({
      comment: { content: sent.content, author: { type: 'AGENT' } },
      ticket: { attachments: [{ commentId: comment.id }], comments: [{ id: comment.id, attachments: [{ filename: 'log.txt' }] }] },
    });
  });

  test('a comment without a type has the type reply, and a comment with internal visibility has the type internal_note', async () => {
    const { id } = await openTicketAs();
    expect(await createComment(id)).toMatchObject({ type: 'reply', visibility: 'customer', metadata: {}, attachments: [] });
    expect(await createComment(id, { visibility: 'internal' })).toMatchObject({ type: 'internal_note', visibility: 'internal' });
    expect(await createComment(id, { type: 'internal_note' })).toMatchObject({ type: 'internal_note', visibility: 'internal' });
    expect(await createComment(id, { type: 'handover' })).toMatchObject({ type: 'handover', visibility: 'customer' });
  });

  test.each([
    ['no content', { content: undefined }, [400, 'INVALID_PARAMETERS', 'content']],
    ['an empty text', { content: '' }, [400, 'INVALID_PARAMETERS', 'content']],
    ['a text that is too long', { content: 'x'.repeat(20_001) }, [400, 'INVALID_PARAMETERS', 'content']],
    ['an unknown visibility', { visibility: 'everybody' }, [400, 'INVALID_PARAMETERS', 'visibility']],
    ['an invalid type', { type: 'Two Words' }, [400, 'INVALID_PARAMETERS', 'type']],
    ['an internal note visible to customers', { type: 'internal_note', visibility: 'customer' }, [400, 'INVALID_PARAMETERS', 'visibility']],
    ['an author without a type', { author: { name: 'Ada' } }, [400, 'INVALID_PARAMETERS', 'author.type']],
    ['an agent without an id', { author: { type: 'agent', name: 'Ada' } }, [400, 'INVALID_PARAMETERS', 'author.id']],
    ['an unknown agent', { author: { type: 'agent', id: 'agent_01JQ8Z6V4T9M3N2B1C0D9E8F7G' } }, [404, 'RESOURCE_NOT_FOUND', 'agent']],
    ['an unknown user', { author: { type: 'customer', id: 'user_01JQ8Z6V4T9M3N2B1C0D9E8F7G' } }, [404, 'RESOURCE_NOT_FOUND', 'user']],
    [
      'an unknown customer',
      { author: { type: 'customer', id: 'cust_01JQ8Z6V4T9M3N2B1C0D9E8F7G' } },
      [404, 'RESOURCE_NOT_FOUND', 'customer'],
    ],
    ['a customer id in a wrong format', { author: { type: 'customer', id: 'acc_1' } }, [400, 'INVALID_PARAMETERS', 'author.id']],
    [
      'an attachment that is not accepted',
      { attachments: [{ ...file, filename: 'a.exe' }] },
      [400, 'INVALID_PARAMETERS', 'attachments.0.filename'],
    ],
  ])('posting a comment with %s returns 400 or 404 with the invalid field or resource, and stores nothing', async (_, body, expected) => {
    const { id } = await openTicketAs();
    expect(refusal(await postComment(id, body))).toEqual(expected);
    expect(await commentsOf(id)).toEqual([]);
  });

  test('posting or listing comments on a ticket of another organization returns 404 RESOURCE_NOT_FOUND', async () => {
    const { id } = await openTicketAs();
    const comment = await createComment(id);
    const stranger = await platform.organization();
    expect(refusal(await postComment(id, {}, stranger))).toEqual([404, 'RESOURCE_NOT_FOUND', 'ticket']);
    expect(refusal(await stranger.rest('GET', `/support/tickets/${id}/comments`))).toEqual([404, 'RESOURCE_NOT_FOUND', 'ticket']);
    expect((await stranger.graphql('query($id: ID!) { comment(id: $id) { id } }', { id: comment.id })).data).toEqual({ comment: null });
  });

  test('the comment list of a ticket is paged by cursor, newest comment first', async () => {
    const { id } = await openTicketAs();
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.unshift((await createComment(id, { content: `${count}` })).id);
    const { body } = await staff.rest('GET', `/support/tickets/${id}/comments?limit=2`);
    expect(body.comments.map((comment: Json) => comment.id)).toEqual(ids.slice(0, 2));
    expect(body.pagination).toMatchObject({ total: 3, has_more: true });
    const next = await staff.rest('GET', `/support/tickets/${id}/comments?limit=2&cursor=${body.pagination.next_cursor}`);
    expect(next.body.comments.map((comment: Json) => comment.id)).toEqual(ids.slice(2));
  });
});

describe('comment authors', () => {
  test('the author of a comment is the calling user or API key, with type agent if the caller has support:write', async () => {
    const { id } = await openTicketAs();
    const user = await userOf(staff, 'owner');
    expect((await createComment(id, {}, user)).author).toEqual({ type: 'agent', id: user.id, name: expect.any(String), email: user.email });
    expect((await createComment(id, {}, customer)).author).toEqual({
      type: 'customer',
      id: expect.stringMatching(/^ak_/),
      name: 'limited',
      email: null,
    });
    expect((await createComment(id)).author).toMatchObject({ type: 'agent', id: expect.stringMatching(/^ak_/) });
  });

  test('an API key with support:write can set another author for a comment', async () => {
    const { id } = await openTicketAs();
    const account = (await staff.rest('POST', '/accounts', { body: { name: 'Hudson', email: 'it@hudson.example' } })).body.data;
    const author = async (stated: object) => (await createComment(id, { author: stated })).author;
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

  test('a comment in the name of another author returns 400 if a user sends it, and 403 if the caller lacks support:write', async () => {
    const { id, assigned_to } = await openTicketAs();
    const user = await userOf(staff, 'owner');
    expect(refusal(await postComment(id, { author: { type: 'agent', id: assigned_to.agent_id } }, user))).toEqual([
      400,
      'INVALID_PARAMETERS',
      'author',
    ]);
    for (const author of [{ type: 'agent', id: assigned_to.agent_id }, { type: 'system' }, { type: 'customer', id: user.id }])
      expect(refusal(await postComment(id, { author }, customer))).toEqual([403, 'INSUFFICIENT_PERMISSIONS', 'support:write']);
    expect((await createComment(id, { author: { type: 'customer', name: 'Ada' } }, customer)).author).toMatchObject({
      type: 'customer',
      name: 'Ada',
    });
  });
});

describe('internal comments', () => {
  test('internal comments and their attachments are returned only to callers with support:write', async () => {
    const { id } = await openTicketAs();
    const note = await createComment(id, {
      content: 'Line test ordered',
      visibility: 'internal',
      attachments: [{ ...file, filename: 'secret.txt' }],
    });
    await createComment(id, { content: 'We are on it' });
    for (const body of [{ visibility: 'internal' }, { type: 'internal_note' }])
      expect(refusal(await postComment(id, body, customer))).toEqual([403, 'INSUFFICIENT_PERMISSIONS', 'support:write']);

    expect((await commentsOf(id)).map(({ content }) => content)).toEqual(['We are on it', 'Line test ordered']);
    expect((await commentsOf(id, customer)).map(({ content }) => content)).toEqual(['We are on it']);
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
    expect([(await download(staff)).status, (await download(customer)).status]).toEqual([200, 404]);
  });
});

describe('effects of a comment on its ticket', () => {
  test('the response time of a ticket is the time of the first customer-visible comment by support staff', async () => {
    const { id } = await openTicketAs();
    await createComment(id, {}, customer);
    await createComment(id, { visibility: 'internal' });
    await createComment(id, { author: { type: 'system' } });
    expect((await slaOf(id)).sla.respondedAt).toBeNull();
    const { created_at } = await createComment(id);
    await platform.advance(60_000);
    await createComment(id);
    expect((await slaOf(id)).sla.respondedAt).toBe(created_at);
  });

  test("a customer's comment reopens a resolved ticket, and a comment by support staff does not", async () => {
    const { id } = await openTicketAs();
    await staff.rest('PUT', `/support/tickets/${id}`, { body: { status: 'resolved' } });
    await createComment(id);
    await createComment(id, { visibility: 'internal' });
    expect((await slaOf(id)).status).toBe('RESOLVED');
    await createComment(id, {}, customer);
    expect((await slaOf(id)).status).toBe('OPEN');
  });

  test('posting a comment sets updated_at of its ticket to the time of the comment', async () => {
    const { id, updated_at } = await openTicketAs();
    await platform.advance(1_000);
    const { created_at } = await createComment(id);
    expect((await slaOf(id)).updatedAt).toBe(created_at);
    expect(created_at > updated_at).toBe(true);
  });

  test('the fields internal_notes and customer_update of a ticket update each create a comment; repeating the same text creates no comment', async () => {
    const { id } = await openTicketAs();
    const change = (body: object) => staff.rest('PUT', `/support/tickets/${id}`, { body });
    await change({ internal_notes: 'Line test ordered', customer_update: 'We are on it' });
    // sending the same text again creates no second comment
    await change({ customer_update: 'We are on it', internal_notes: null });
    await change({ customer_update: null });
    expect((await commentsOf(id)).map(({ type, visibility, content }) => [type, visibility, content]).toSorted()).toEqual([
      ['customer_update', 'customer', 'We are on it'],
      ['internal_note', 'internal', 'Line test ordered'],
    ]);
    expect((await slaOf(id)).sla.respondedAt).not.toBeNull();
    expect(JSON.stringify(await read(id, customer))).not.toContain('Line test');
    expect((await change({ internal_notes: 'x', status: 'nonsense' })).status).toBe(400);
    expect(await commentsOf(id)).toHaveLength(2);
  });

  test('eight concurrent comments on a ticket are all stored', async () => {
    const { id } = await openTicketAs();
    await Promise.all(Array.from({ length: 8 }, (_, index) => createComment(id, { content: `${index}` })));
    expect(await commentsOf(id)).toHaveLength(8);
  });
});
