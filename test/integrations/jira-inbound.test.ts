import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { type JiraIssueRecord, type JiraServer, jiraServer } from '../support/jira.server.ts';
import type { Json, Tenant } from '../tenant.ts';
import { allSettled, deliveryRows, openTicket, readBack, settled, withJira } from './integrations.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

interface World {
  tenant: Tenant;
  jira: JiraServer;
  integration: Json;
  ticket: Json;
  issue: JiraIssueRecord;
}

/** An organization with a Jira integration, and a ticket with its Jira issue. */
async function world(input: Json = {}): Promise<World> {
  const [tenant, jira] = [await platform.organization(), await jiraServer()];
  const integration = await withJira(tenant, jira, input);
  const ticket = await openTicket(tenant);
  await allSettled(integration.id, 1);
  return { tenant, jira, integration, ticket, issue: jira.issues[0] as JiraIssueRecord };
}

const signed = (secret: string, text: string): Record<string, string> => ({
  'content-type': 'application/json',
  'x-hub-signature': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
});

/** Sends a request as Jira does. It has no credentials except its signature. */
async function sendFromJira(
  { integration }: Pick<World, 'integration'>,
  payload: Json,
  headers?: Record<string, string>,
): Promise<Response> {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return fetch(integration.inbound_url, { method: 'POST', headers: headers ?? signed(integration.inbound_secret, text), body: text });
}

const author = { accountId: '5b10a2844c20165700ede21g', displayName: 'Grace Hopper' };
const commented = ({ issue }: Pick<World, 'issue'>, comment: Json, webhookEvent = 'comment_created'): Json => ({
  timestamp: 1_767_225_600_000,
  webhookEvent,
  comment: { self: `http://jira/comment/${comment.id}`, author, created: '2026-01-31T09:30:00.000+0000', ...comment },
  issue: { id: issue.id, key: issue.key, fields: { summary: 'Line is down' } },
});
const document = (text: string): Json => ({ type: 'doc', version: 1, content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] });

const COMMENTS = 'query ($id: ID!) { ticket(id: $id) { comments(limit: 50) { content visibility author { type name } } } }';
async function commentsOn({ tenant, ticket }: Pick<World, 'tenant' | 'ticket'>): Promise<Json[]> {
  const { data } = await tenant.graphql(COMMENTS, { id: ticket.id });
  return data.ticket.comments.toReversed();
}
const comment = (on: World, content: string, more: Json = {}): Promise<Json> =>
  on.tenant.rest('POST', `/support/tickets/${on.ticket.id}/comments`, { body: { content, ...more } });

describe('comments from Jira', () => {
  test('a Jira comment in wiki or Atlassian Document Format creates one internal ticket comment, even if sent repeatedly', async () => {
    const here = await world();
    expect((await sendFromJira(here, commented(here, { id: '20001', body: 'Fibre cut at *km 12*.' }))).status).toBe(204);
    await Promise.all([1, 2, 3].map(() => sendFromJira(here, commented(here, { id: '20002', body: document('Splicing now.') }))));
    expect((await sendFromJira(here, commented(here, { id: '20002', body: document('Splicing now.') }))).status).toBe(204);
    expect(await commentsOn(here)).toEqual([
      { content: 'Fibre cut at *km 12*.', visibility: 'INTERNAL', author: { type: 'SYSTEM', name: 'Grace Hopper (Jira)' } },
      { content: 'Splicing now.', visibility: 'INTERNAL', author: { type: 'SYSTEM', name: 'Grace Hopper (Jira)' } },
    ]);
  });

  test('a Jira comment is customer-visible only if both the settings and Jira allow it, and is never sent back to Jira', async () => {
    const here = await world({ sync_settings: { jira_comment_visibility: 'customer' } });
    await sendFromJira(here, commented(here, { id: '20001', body: 'We found it.' }));
    await sendFromJira(
      here,
      commented(here, { id: '20002', body: 'The customer is wrong.', visibility: { type: 'role', value: 'Administrators' } }),
    );
    await sendFromJira(here, commented(here, { id: '20003', body: 'Hidden in the portal.', jsdPublic: false }));
    expect((await commentsOn(here)).map(({ visibility }) => visibility)).toEqual(['CUSTOMER', 'INTERNAL', 'INTERNAL']);
    // the deliveries of the new ticket and of the customer-visible comment; the comment is skipped
    const kept = await allSettled(here.integration.id, 2);
    expect(kept.map(({ event, status }) => [event, status])).toEqual([
      ['ticket.created', 'delivered'],
      ['comment.added', 'skipped'],
    ]);
    expect(here.issue.comments).toEqual([]);
  });

  test('an edited Jira comment creates another ticket comment only if its text has changed', async () => {
    const here = await world();
    await sendFromJira(here, commented(here, { id: '20001', body: 'Tomorow.' }));
    await sendFromJira(here, commented(here, { id: '20001', body: 'Tomorow.' }, 'comment_updated'));
    await sendFromJira(here, commented(here, { id: '20001', body: 'Tomorrow.' }, 'comment_updated'));
    await sendFromJira(here, commented(here, { id: '20001', body: 'Tomorrow.' }, 'comment_updated'));
    expect((await commentsOn(here)).map(({ content }) => content)).toEqual(['Tomorow.', 'Edited: Tomorrow.']);
  });

  test('Jira comments are imported while the platform has disabled the integration, but not while the owner has disabled it', async () => {
    const here = await world();
    const path = `/support/integrations/jira/${here.integration.id}`;
    here.jira.next(`POST /rest/api/3/issue/${here.issue.id}/comment`, [401, {}]);
    await comment(here, 'Is anybody there?');
    await settled(here.tenant, 'jira', here.integration.id, (one) => one.disabled_reason === 'unauthorized');
    expect((await sendFromJira(here, commented(here, { id: '20001', body: 'The token has expired.' }))).status).toBe(204);
    await here.tenant.rest('PUT', path, { body: { active: false } });
    expect((await sendFromJira(here, commented(here, { id: '20002', body: 'Not wanted.' }))).status).toBe(204);
    expect((await commentsOn(here)).map(({ content }) => content)).toEqual(['Is anybody there?', 'The token has expired.']);
  });

  test('Jira comments on unknown issues, and all Jira comments if the setting sync_comments is false, are ignored', async () => {
    const here = await world({ sync_settings: { sync_comments: false } });
    expect((await sendFromJira(here, commented(here, { id: '20001', body: 'Not here.' }))).status).toBe(204);
    expect(
      (await sendFromJira(here, commented({ issue: { ...here.issue, id: '99999' } }, { id: '20002', body: 'Nor this.' }))).status,
    ).toBe(204);
    expect(await commentsOn(here)).toEqual([]);
  });
});

describe('comments to Jira', () => {
  test("a ticket comment is posted once, with the name of its author, to the ticket's Jira issue and is not imported back", async () => {
    const here = await world();
    const created = await comment(here, 'A technician is on the way.\n\nBy noon.');
    expect(created.status).toBe(201);
    await allSettled(here.integration.id, 2);
    const [posted] = here.issue.comments;
    const [head, first, second] = posted?.body.content ?? [];
    expect(wordsIn(head)).toMatch(new RegExp(`^.+ \\(agent\\) on ${here.ticket.number}$`));
    expect([wordsIn(first), wordsIn(second)]).toEqual(['A technician is on the way.', 'By noon.']);
    // Jira sends the comment back with its id, or with the marker in the document, or with the marker in wiki text
    const url = head.content.at(-1).marks[0].attrs.href;
    for (const received of [
      { id: posted?.id, body: 'Whatever it says' },
      { id: '30001', body: posted?.body },
      { id: '30002', body: `*Test* (agent) on [${here.ticket.number}|${url}]\n\nA technician is on the way.` },
    ])
      expect((await sendFromJira(here, commented(here, received))).status).toBe(204);
    expect(await commentsOn(here)).toHaveLength(1);
    expect(here.issue.comments).toHaveLength(1);
  });

  test('if the response to a posted comment is lost, the platform searches for the comment in Jira before posting it again', async () => {
    const here = await world();
    here.jira.next(`POST /rest/api/3/issue/${here.issue.id}/comment`, 'lost');
    await comment(here, 'Only once.');
    await settled(here.tenant, 'jira', here.integration.id, (one) => one.failing_since);
    await platform.advance(12_000);
    await allSettled(here.integration.id, 2);
    expect(here.issue.comments).toHaveLength(1);
  });

  test('an internal ticket comment is not posted to Jira', async () => {
    const here = await world();
    await comment(here, 'The customer is wrong.', { visibility: 'internal' });
    await comment(here, 'We are on it.');
    await allSettled(here.integration.id, 2);
    expect(here.issue.comments.map(({ body }) => wordsIn(body.content[1]))).toEqual(['We are on it.']);
    expect((await deliveryRows(here.integration.id)).map(({ event }) => event)).toEqual(['ticket.created', 'comment.added']);
  });
});

test('a ticket shows the new key and URL of its Jira issue after a move, and a deleted Jira issue receives no more updates', async () => {
  const here = await world();
  const { id } = here.issue;
  const fields = { status: { name: 'In Progress' } };
  await sendFromJira(here, { webhookEvent: 'jira:issue_updated', issue: { id, key: 'OPS-7', fields } });
  const query = 'query ($id: ID!) { ticket(id: $id) { issues { key url status deletedAt } } }';
  const issues = async () => (await here.tenant.graphql(query, { id: here.ticket.id })).data.ticket.issues;
  expect(await issues()).toEqual([{ key: 'OPS-7', url: `${here.jira.url}/browse/OPS-7`, status: 'In Progress', deletedAt: null }]);
  await sendFromJira(here, { webhookEvent: 'jira:issue_deleted', issue: { id, key: 'OPS-7' } });
  expect(await issues()).toMatchObject([{ deletedAt: expect.any(String) }]);
  const before = here.jira.requests.length;
  await comment(here, 'Nobody there.');
  await allSettled(here.integration.id, 2);
  expect(here.jira.requests).toHaveLength(before);
});

describe('unauthenticated Jira requests', () => {
  test('an incorrectly signed Jira request returns 401 INVALID_SIGNATURE, with the same error for known and unknown integrations', async () => {
    const here = await world();
    const text = JSON.stringify(commented(here, { id: '20001', body: 'Forged.' }));
    const type = { 'content-type': 'application/json' };
    const elsewhere = {
      integration: {
        ...here.integration,
        inbound_url: here.integration.inbound_url.replace(/intg_\w+/, 'intg_01JQ8Z6V4T9M3N2B1C0D9E8F7G'),
      },
    };
    const bad = signed('another secret', text);
    const responses = await Promise.all([
      sendFromJira(here, text, bad),
      sendFromJira(here, `${text} `, signed(here.integration.inbound_secret, text)),
      sendFromJira(here, text, { ...type, 'x-hub-signature': 'sha256=00' }),
      sendFromJira(here, text, { ...type, 'x-hub-signature': bad['x-hub-signature']?.replace('sha256', 'sha1') ?? '' }),
      sendFromJira(elsewhere, text, bad),
    ]);
    const shown = await Promise.all(
      responses.map(async (response) => {
        const { request_id: _, ...error } = ((await response.json()) as Json).error;
        return JSON.stringify({ status: response.status, error });
      }),
    );
    expect(new Set(shown).size).toBe(1);
    expect(JSON.parse(shown[0] ?? '')).toMatchObject({
      status: 401,
      error: { code: 'INVALID_SIGNATURE', details: { reason: 'mismatch' } },
    });
    expect(((await (await sendFromJira(here, text, type)).json()) as Json).error.details).toEqual({ reason: 'missing' });
    expect(await commentsOn(here)).toEqual([]);
  });

  test("a Jira request that is signed with an old secret or another integration's secret returns 401", async () => {
    const [here, other] = [await world(), await world()];
    const payload = commented(here, { id: '20001', body: 'Too late.' });
    const { body } = await here.tenant.rest('POST', `/support/integrations/jira/${here.integration.id}/rotate-secret`);
    expect((await sendFromJira(here, payload)).status).toBe(401);
    expect((await sendFromJira(here, payload, signed(other.integration.inbound_secret, JSON.stringify(payload)))).status).toBe(401);
    expect((await sendFromJira({ integration: body.data }, payload)).status).toBe(204);
    expect(await readBack(here.tenant, 'jira', here.integration.id)).toMatchObject({ inbound_secret: null });
  });

  test('a Jira request over 1 MiB returns 413, and a signed request with unknown content returns 204 and is ignored', async () => {
    const here = await world();
    expect((await sendFromJira(here, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
    for (const odd of ['', '{', '[]', '{"webhookEvent":"jira:issue_created"}', '{"webhookEvent":"comment_created","comment":7}'])
      expect((await sendFromJira(here, odd)).status, odd).toBe(204);
    await eventually(async () => (await commentsOn(here)).length === 0);
  });
});

const wordsIn = (node: Json): string => node?.text ?? (node?.content ?? []).map(wordsIn).join('');
