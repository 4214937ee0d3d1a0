import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig, start } from '../rig.ts';
import { API_TOKEN, jiraServer } from '../support/jira.server.ts';
import { slackServer } from '../support/slack.server.ts';
import { rowsWith, tables } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { allSettled, openTicket, readBack, withJira, withSlack } from './integrations.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

const SLACK = '/support/integrations/slack';
const JIRA = '/support/integrations/jira';
const slackBody = { webhook_url: 'https://hooks.slack.com/services/T000/B000/walk', channel: '#support', events: ['ticket.created'] };
const jiraBody = { jira_url: 'https://walk.atlassian.net', username: 'walk@example.com', api_token: 'jira-token', project_key: 'SUP' };

describe('integration management', () => {
  test('a Slack integration can be created, read, listed, updated and deleted without a request to Slack', async () => {
    const input = { ...slackBody, filters: { priorities: ['high', 'critical'] }, message_format: { template: 'ticket_update' } };
    const created = await tenant.rest('POST', SLACK, { body: input });
    expect(created.status).toBe(201);
    const { webhook_url: _, ...shown } = input;
    const integration = {
      ...shown,
      id: expect.stringMatching(/^intg_/),
      webhook_url_hint: 'hooks.slack.com/…walk',
      active: true,
      disabled_at: null,
      disabled_reason: null,
      failing_since: null,
      last_error: null,
      last_success_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    expect(created.body.data).toMatchObject(integration);
    expect(Object.keys(created.body.data).toSorted()).toEqual(Object.keys(integration).toSorted());
    const { id } = created.body.data;
    expect(await readBack(tenant, 'slack', id)).toEqual(created.body.data);
    expect((await tenant.rest('GET', SLACK)).body.data).toEqual([created.body.data]);
    const changed = await tenant.rest('PUT', `${SLACK}/${id}`, {
      body: { channel: '#desk', filters: null, message_format: { template: 'compact' } },
    });
    expect(changed.body.data).toMatchObject({
      channel: '#desk',
      filters: null,
      message_format: { template: 'compact' },
      events: slackBody.events,
    });
    expect((await tenant.rest('DELETE', `${SLACK}/${id}`)).body.data).toMatchObject({ id, channel: '#desk' });
    expect((await tenant.rest('GET', `${SLACK}/${id}`)).status).toBe(404);
  });

  test('creating a Jira integration sends no request to Jira, and updates keep settings that are not sent', async () => {
    const created = await tenant.rest('POST', JIRA, { body: { ...jiraBody, jira_url: 'https://walk.atlassian.net/' } });
    expect(created.status).toBe(201);
    const { id, ...integration } = created.body.data;
    expect(integration).toMatchObject({
      jira_url: 'https://walk.atlassian.net',
      username: 'walk@example.com',
      project_key: 'SUP',
      sync_settings: {
        create_jira_issues: true,
        sync_comments: true,
        priority_mapping: { critical: 'Highest', high: 'High', medium: 'Medium', low: 'Low' },
        jira_comment_visibility: 'internal',
      },
      api_token_hint: '…',
      inbound_url: `${platform.origin}/v1${JIRA}/${id}/webhook`,
      inbound_secret: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(await readBack(tenant, 'jira', id)).toEqual({ ...created.body.data, inbound_secret: null });
    const settings = { sync_comments: false, priority_mapping: { critical: 'Blocker', low: null } };
    const changed = await tenant.rest('PUT', `${JIRA}/${id}`, { body: { sync_settings: settings } });
    expect(changed.body.data.sync_settings).toEqual({
      create_jira_issues: true,
      sync_comments: false,
      priority_mapping: { critical: 'Blocker', high: 'High', medium: 'Medium', low: null },
      jira_comment_visibility: 'internal',
    });
    const rotated = await tenant.rest('POST', `${JIRA}/${id}/rotate-secret`);
    expect(rotated.body.data.inbound_secret).toMatch(/^[\w-]{43}$/);
    expect(rotated.body.data.inbound_secret).not.toBe(integration.inbound_secret);
    expect((await tenant.rest('DELETE', `${JIRA}/${id}`)).body.data).toMatchObject({ id, inbound_secret: null });
  });

  test('a Slack integration can be created and read over GraphQL', async () => {
    const own = await platform.organization();
    const input = { webhookUrl: 'https://hooks.slack.com/services/T000/B000/graph', channel: '#graph', events: ['*'] };
    const create =
      'mutation ($input: SlackIntegrationCreateInput!) { createSlackIntegration(input: $input) { id webhookUrlHint messageFormat { template } } }';
    const { data } = await own.graphql(create, { input });
    const { id } = data.createSlackIntegration;
    expect(data.createSlackIntegration).toMatchObject({ webhookUrlHint: 'hooks.slack.com/…raph', messageFormat: { template: null } });
    const read =
      'query ($id: ID!) { slackIntegration(id: $id) { id } slackIntegrations { nodes { id channel } } jiraIntegrations { nodes { id } } }';
    expect((await own.graphql(read, { id })).data).toEqual({
      slackIntegration: { id },
      slackIntegrations: { nodes: [{ id, channel: '#graph' }] },
      jiraIntegrations: { nodes: [] },
    });
  });

  test('creating an integration with the same target twice returns 409, and an integration with another channel or project is created', async () => {
    const own = await platform.organization();
    for (const [path, body, other] of [
      [SLACK, slackBody, { channel: '#other' }],
      [JIRA, jiraBody, { project_key: 'OPS' }],
    ] as const) {
      expect((await own.rest('POST', path, { body })).status).toBe(201);
      const again = await own.rest('POST', path, { body });
      expect(again.status).toBe(409);
      expect(again.body.error.code).toBe('DUPLICATE_RESOURCE');
      const second = await own.rest('POST', path, { body: { ...body, ...other } });
      expect(second.status).toBe(201);
      const back = path === SLACK ? { channel: '#support' } : { project_key: 'SUP' };
      expect((await own.rest('PUT', `${path}/${second.body.data.id}`, { body: back })).status).toBe(409);
    }
    expect((await (await platform.organization()).rest('POST', SLACK, { body: slackBody })).status).toBe(201);
  });
});

describe('invalid integrations', () => {
  const SLACK_CASES: [string, Json, string, string | RegExp][] = [
    ['an invalid URL', { webhook_url: 'hooks' }, 'webhook_url', 'must be a URL such as https://example.com/hooks'],
    ['a URL with credentials', { webhook_url: 'https://a:b@example.com/' }, 'webhook_url', /user name or password/],
    ['an unknown event', { events: ['ticket.created', 'ticket.exploded'] }, 'events.1', /does not match any event of the support family/],
    ['an event of another family', { events: ['invoice.created'] }, 'events.0', /does not match any event of the support family/],
    ['no events', { events: [] }, 'events', 'must name at least one event'],
    ['a channel with spaces', { channel: 'the desk' }, 'channel', /must be a channel/],
    ['an unknown priority', { filters: { priorities: ['urgent'] } }, 'filters.priorities.0', /must be one of/],
    [
      'an unknown placeholder',
      { message_format: { template: '{{ticket.secret}}' } },
      'message_format.template',
      /unknown placeholder \{\{ticket.secret\}\}/,
    ],
    ['an unknown template', { message_format: { template: 'fancy' } }, 'message_format.template', /must be one of ticket_update, compact/],
    [
      'an incomplete placeholder',
      { message_format: { template: 'Now {{ticket.number' } },
      'message_format.template',
      /unmatched \{\{ or \}\}/,
    ],
    ['an unknown field', { colour: 'red' }, 'colour', /./],
  ];
  test.each(SLACK_CASES)(
    'creating a Slack integration with %s returns 400 INVALID_PARAMETERS and names the field',
    async (_, input, field, reason) => {
      const { status, body } = await tenant.rest('POST', SLACK, { body: { ...slackBody, ...input } });
      expect([status, body.error.code, body.error.details.field]).toEqual([400, 'INVALID_PARAMETERS', field]);
      expect(body.error.details.reason).toMatch(reason);
    },
  );

  const JIRA_CASES: [string, Json, string, string | RegExp][] = [
    ['an invalid URL', { jira_url: 'ftp://walk' }, 'jira_url', 'must be an https URL'],
    ['a URL with a query', { jira_url: 'https://walk.atlassian.net/?a=b' }, 'jira_url', 'must not have a query or fragment'],
    ['a username with a colon', { username: 'a:b' }, 'username', /without a colon/],
    ['a token with a line break', { api_token: 'a\nb' }, 'api_token', /printable ASCII/],
    ['an invalid project key', { project_key: 'support desk' }, 'project_key', /must be a project key/],
    ['a priority without a name', { sync_settings: { priority_mapping: { high: '' } } }, 'sync_settings.priority_mapping.high', /1 to 60/],
  ];
  test.each(JIRA_CASES)(
    'creating a Jira integration with %s returns 400 INVALID_PARAMETERS and names the field',
    async (_, input, field, reason) => {
      const { status, body } = await tenant.rest('POST', JIRA, { body: { ...jiraBody, ...input } });
      expect([status, body.error.code, body.error.details.field]).toEqual([400, 'INVALID_PARAMETERS', field]);
      expect(body.error.details.reason).toMatch(reason);
    },
  );

  test('changing the URL of a Jira integration without sending the API token returns 400', async () => {
    const own = await platform.organization();
    const { id } = (await own.rest('POST', JIRA, { body: jiraBody })).body.data;
    const refused = await own.rest('PUT', `${JIRA}/${id}`, { body: { jira_url: 'https://evil.example.com' } });
    expect([refused.status, refused.body.error.details.field]).toEqual([400, 'api_token']);
    expect(
      (await own.rest('PUT', `${JIRA}/${id}`, { body: { jira_url: 'https://other.atlassian.net', api_token: 'another' } })).status,
    ).toBe(200);
  });
});

describe('integration secrets and access', () => {
  test('secrets of integrations are in no later response, event, table or log line, even after failures', async () => {
    const own = await platform.organization({ plan: 'custom' });
    const [slack, jira] = [await slackServer(), await jiraServer()];
    const made = [await withSlack(own, slack, { events: ['*'] }), await withJira(own, jira)];
    const secrets = [new URL(slack.url).pathname, API_TOKEN, Buffer.from(`desk@acme.example.com:${API_TOKEN}`).toString('base64')];
    slack.next([500, slack.url], [400, `invalid_payload ${slack.url}`]);
    jira.next('POST /rest/api/3/issue', [400, { errorMessages: [API_TOKEN] }]);
    await openTicket(own);
    await allSettled(made[1].id, 1);
    const responses = [
      ...made,
      await own.rest('POST', SLACK, { body: { ...slackBody, webhook_url: `ftp://127.0.0.1${secrets[0]}` } }),
      await own.rest('POST', SLACK, { body: { ...slackBody, webhook_url: slack.url } }),
      await own.rest('POST', `${SLACK}/${made[0].id}/test`),
      await own.rest('GET', SLACK),
      await own.rest('GET', JIRA),
      await own.graphql('{ events { nodes { payload } } slackIntegrations { nodes { lastError target: channel } } }'),
    ];
    secrets.push(made[1].inbound_secret);
    const [, , ...later] = responses;
    for (const secret of secrets) {
      expect(JSON.stringify(later)).not.toContain(secret);
      for (const line of platform.logged) expect(line).not.toContain(secret);
      for (const table of await tables()) expect(await rowsWith(table, secret), table).toBe(0);
    }
    expect(JSON.stringify(responses.slice(0, 2))).not.toContain(API_TOKEN);
  });

  test('reading or changing integrations without support:admin returns 403 INSUFFICIENT_PERMISSIONS', async () => {
    const own = await platform.organization();
    const { id } = (await own.rest('POST', SLACK, { body: slackBody })).body.data;
    const desk = await own.limitedTo('support:write', 'support:read');
    for (const [method, path] of [
      ['GET', SLACK],
      ['GET', `${SLACK}/${id}`],
      ['DELETE', `${SLACK}/${id}`],
      ['POST', `${SLACK}/${id}/test`],
    ] as const)
      expect((await desk.rest(method, path)).body.error).toMatchObject({
        code: 'INSUFFICIENT_PERMISSIONS',
        details: { required: 'support:admin' },
      });
  });

  test('reading the Jira issues of a ticket without support:write returns null and INSUFFICIENT_PERMISSIONS', async () => {
    const own = await platform.organization();
    const ticket = await openTicket(own);
    const query = 'query ($id: ID!) { ticket(id: $id) { number issues { key } } }';
    const { data, errors } = await (await own.limitedTo('support:read')).graphql(query, { id: ticket.id });
    expect(data.ticket).toEqual({ number: ticket.number, issues: null });
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }]);
  });
});

test('an integration with a private address or a plain http URL returns 400 unless the settings allow it', async () => {
  const strict = await start({ ALLOW_PRIVATE_URLS: '0' });
  try {
    const own = await strict.organization();
    for (const host of ['127.0.0.1', '10.0.0.8', '169.254.169.254', '[::1]', '0x7f.1', 'localhost']) {
      const slack = await own.rest('POST', SLACK, { body: { ...slackBody, webhook_url: `https://${host}/services/T0/B0/x` } });
      const jira = await own.rest('POST', JIRA, { body: { ...jiraBody, jira_url: `https://${host}` } });
      expect([host, slack.status, slack.body.error.details.field]).toEqual([host, 400, 'webhook_url']);
      expect([host, jira.status, jira.body.error.details.field]).toEqual([host, 400, 'jira_url']);
    }
    const plain = await own.rest('POST', SLACK, { body: { ...slackBody, webhook_url: slackBody.webhook_url.replace('https', 'http') } });
    expect(plain.body.error.details).toMatchObject({ field: 'webhook_url', value: null, reason: 'must be an https URL' });
  } finally {
    await strict.close();
  }
});
