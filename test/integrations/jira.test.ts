import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { API_TOKEN, type JiraResponse, type JiraServer, jiraServer, USERNAME } from '../support/jira.server.ts';
import type { Json, Tenant } from '../tenant.ts';
import { allSettled, changeTicket, deliveryRows, openTicket, readBack, settled, withJira } from './integrations.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const ISSUES = 'query ($id: ID!) { ticket(id: $id) { issues { key url issueId integrationId priorityOmitted status deletedAt } } }';
const issuesOf = async (tenant: Tenant, id: string): Promise<Json[]> => (await tenant.graphql(ISSUES, { id })).data.ticket.issues;
const creations = ({ requests }: JiraServer): string[] => requests.filter((request) => request === 'POST /rest/api/3/issue');

describe('Jira issue creation', () => {
  test('a new ticket creates a Jira issue with the description, mapped priority and id of the ticket', async () => {
    const [tenant, jira] = [await platform.organization(), await jiraServer()];
    const { id } = await withJira(tenant, jira);
    const description = 'First line\nsecond line\n\n*No* markup, {code} neither.';
    const ticket = await openTicket(tenant, { title: 'Line\n is down', description, priority: 'critical' });
    const [issue] = await eventually(async () => {
      const found = await issuesOf(tenant, ticket.id);
      return found.length > 0 && found;
    });
    expect(issue).toEqual({
      key: 'SUP-1',
      url: `${jira.url}/browse/SUP-1`,
      issueId: jira.issues[0]?.id,
      integrationId: id,
      priorityOmitted: false,
      status: null,
      deletedAt: null,
    });
    expect(jira.issues[0]?.fields).toMatchObject({
      project: { key: 'SUP' },
      issuetype: { name: 'Task' },
      summary: `${ticket.number} Line is down`,
      priority: { name: 'Highest' },
      labels: [ticket.id],
      description: {
        type: 'doc',
        version: 1,
        content: [
          { type: 'paragraph' },
          { type: 'paragraph', content: [{ text: 'First line' }, { type: 'hardBreak' }, { text: 'second line' }] },
          { type: 'paragraph', content: [{ text: '*No* markup, {code} neither.' }] },
        ],
      },
    });
  });

  test('if the response to the creation of a Jira issue is lost, a search finds it and no second issue is created', async () => {
    const [tenant, jira] = [await platform.organization(), await jiraServer()];
    const { id } = await withJira(tenant, jira);
    jira.next('POST /rest/api/3/issue', 'lost');
    const ticket = await openTicket(tenant);
    await settled(tenant, 'jira', id, (one) => one.failing_since);
    expect(await issuesOf(tenant, ticket.id)).toEqual([]);
    await platform.advance(12_000);
    await allSettled(id, 1);
    expect(await issuesOf(tenant, ticket.id)).toMatchObject([{ key: 'SUP-1' }]);
    expect(jira.issues).toHaveLength(1);
    expect(creations(jira)).toHaveLength(1);
  });

  test('if the creation of a Jira issue returns 502, the platform searches for the issue and creates it if none is found', async () => {
    const [tenant, jira] = [await platform.organization(), await jiraServer()];
    const { id } = await withJira(tenant, jira);
    jira.next('POST /rest/api/3/issue', [502, '<html>Bad gateway</html>']);
    await openTicket(tenant);
    expect(await settled(tenant, 'jira', id, (one) => one.failing_since)).toMatchObject({ last_error: 'Jira answered 502' });
    await platform.advance(12_000);
    await allSettled(id, 1);
    expect(jira.issues).toHaveLength(1);
    expect(jira.requests.filter((request) => request.includes('/search/jql'))).toHaveLength(1);
  });

  test('if the Jira screen has no priority field, the issue is created without a priority and priorityOmitted is true', async () => {
    const [tenant, jira] = [await platform.organization(), await jiraServer()];
    jira.withoutPriority();
    const { id } = await withJira(tenant, jira);
    const ticket = await openTicket(tenant);
    await allSettled(id, 1);
    expect(await issuesOf(tenant, ticket.id)).toMatchObject([{ key: 'SUP-1', priorityOmitted: true }]);
    expect(jira.issues[0]?.fields.priority).toBeUndefined();
    await changeTicket(tenant, ticket.id, { priority: 'low' });
    expect(await allSettled(id, 2)).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
    expect(await readBack(tenant, 'jira', id)).toMatchObject({ active: true, last_error: null });
  });

  test('no Jira issue is created if the setting create_jira_issues is false', async () => {
    const [tenant, jira] = [await platform.organization(), await jiraServer()];
    const { id } = await withJira(tenant, jira, { sync_settings: { create_jira_issues: false } });
    const ticket = await openTicket(tenant);
    await changeTicket(tenant, ticket.id, { priority: 'critical' });
    await allSettled(id, 1);
    expect(jira.requests).toEqual([]);
  });
});

describe('Jira issue updates', () => {
  test('a ticket update sets the priority of its Jira issue and adds one status comment, even if a response is lost', async () => {
    const [tenant, jira] = [await platform.organization(), await jiraServer()];
    const { id } = await withJira(tenant, jira, { sync_settings: { priority_mapping: { low: 'Lowest' } } });
    const ticket = await openTicket(tenant);
    await allSettled(id, 1);
    const [issue] = jira.issues;
    jira.next(`POST /rest/api/3/issue/${issue?.id}/comment`, 'lost');
    await changeTicket(tenant, ticket.id, { priority: 'low', status: 'in_progress' });
    await settled(tenant, 'jira', id, (one) => one.failing_since);
    await platform.advance(12_000);
    await allSettled(id, 2);
    expect(issue?.fields.priority).toEqual({ name: 'Lowest' });
    expect(issue?.comments.map(({ body }) => wordsIn(body))).toEqual([`The status of ${ticket.number} changed from open to in_progress.`]);
  });

  test('an update of a ticket is sent to Jira only after the Jira issue of the ticket is created', async () => {
    const [tenant, jira] = [await platform.organization(), await jiraServer()];
    const { id } = await withJira(tenant, jira);
    jira.next('POST /rest/api/3/issue', [503, { errorMessages: ['Try later.'] }, { 'retry-after': '3600' }]);
    const ticket = await openTicket(tenant);
    await settled(tenant, 'jira', id, (one) => one.failing_since);
    await changeTicket(tenant, ticket.id, { status: 'in_progress' });
    await eventually(async () => (await deliveryRows(id)).length === 2);
    await platform.advance(3_000_000);
    expect(jira.requests).toHaveLength(1);
    await platform.advance(601_000);
    await allSettled(id, 2);
    expect(jira.issues[0]?.comments).toHaveLength(1);
  });
});

describe('Jira error responses', () => {
  const FATAL: [string, JiraResponse, string][] = [
    ['401', [401, { 'status-code': 401, message: 'Client must be authenticated to access this resource.' }], 'unauthorized'],
    ['403', [403, { errorMessages: ['You do not have permission to create issues in this project.'], errors: {} }], 'forbidden'],
    ['404', [404, '<html>Site temporarily unavailable</html>'], 'not_found'],
    ['410', [410, {}], 'gone'],
  ];
  test.each(FATAL)('the Jira response %s disables the integration with a disabled_reason', async (_, response, reason) => {
    const [tenant, jira] = [await platform.organization(), await jiraServer()];
    const { id } = await withJira(tenant, jira);
    jira.next('POST /rest/api/3/issue', response);
    await openTicket(tenant);
    expect(await settled(tenant, 'jira', id, (one) => !one.active)).toMatchObject({
      disabled_reason: reason,
      disabled_at: expect.any(String),
    });
    await tenant.rest('PUT', `/support/integrations/jira/${id}`, { body: { active: true } });
    await eventually(() => jira.issues.length === 1);
  });

  test("if Jira rejects an event with 400, only this event fails, and its delivery has Jira's message without the API token", async () => {
    const [tenant, jira] = [await platform.organization(), await jiraServer()];
    const { id } = await withJira(tenant, jira);
    const errors = { customfield_10010: `Team is required. ${API_TOKEN}` };
    jira.next('POST /rest/api/3/issue', [400, { errorMessages: [], errors }]);
    await openTicket(tenant);
    await allSettled(id, 1);
    await openTicket(tenant);
    expect(await allSettled(id, 2)).toMatchObject([
      { status: 'refused', error: 'Jira answered 400: customfield_10010: Team is required. [secret]' },
      { status: 'delivered' },
    ]);
    expect(await readBack(tenant, 'jira', id)).toMatchObject({ active: true, failing_since: null });
  });

  test('the Jira response 429 postpones the request by Retry-After and does not count as a failure', async () => {
    const [tenant, jira] = [await platform.organization(), await jiraServer()];
    const { id } = await withJira(tenant, jira);
    const headers = { 'retry-after': '3600', 'ratelimit-reason': 'jira-burst-based' };
    jira.next('POST /rest/api/3/issue', [429, { errorMessages: ['Rate limit exceeded'] }, headers]);
    await openTicket(tenant);
    const limited = await settled(tenant, 'jira', id, (one) => one.last_error);
    expect(limited).toMatchObject({ last_error: 'Jira answered 429: Rate limit exceeded', failing_since: null, active: true });
    await platform.advance(3_000_000);
    expect(jira.requests).toHaveLength(1);
    await platform.advance(601_000);
    await allSettled(id, 1);
    // the 429 response shows that no issue was created, so that no search is needed
    expect(creations(jira)).toHaveLength(2);
    expect(jira.requests).toHaveLength(2);
  });

  test('an error response to the test request of a Jira integration is returned and does not disable the integration', async () => {
    const [tenant, jira] = [await platform.organization(), await jiraServer()];
    const { id } = await withJira(tenant, jira);
    const tried = async () => (await tenant.rest('POST', `/support/integrations/jira/${id}/test`)).body.data;
    expect(await tried()).toMatchObject({ succeeded: true, error: null });
    await tenant.rest('PUT', `/support/integrations/jira/${id}`, { body: { project_key: 'NOPE' } });
    expect(await tried()).toMatchObject({ succeeded: false, error: "Jira answered 404: No project could be found with key 'X'." });
    await tenant.rest('PUT', `/support/integrations/jira/${id}`, { body: { api_token: 'wrong-token-of-nobody' } });
    expect(await tried()).toMatchObject({ succeeded: false, error: 'Jira answered 401' });
    expect(await readBack(tenant, 'jira', id)).toMatchObject({ active: true, last_error: 'Jira answered 401', username: USERNAME });
  });
});

const wordsIn = (node: Json): string => node.text ?? (node.content ?? []).map(wordsIn).join('');
