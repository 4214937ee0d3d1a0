import type { JsonSchema } from '../json-schema.ts';
import { errorResponse, headersWith } from '../openapi/components.ts';
import { del, get, type NonGraphRoute, post, put, type Route, view } from '../route.ts';

const jiraIntegration = view('JiraIntegration', '{ ...fields inboundUrl }');

const TESTED = 'Answers 200 whether it works or not: `succeeded` and `error` say so. Nothing is disabled by it.';
const DELIVERIES =
  'Newest first; one record for each event, as its last attempt left it. `created_after` and `created_before` are of when it was planned, the first inclusive and the second exclusive.';

const slack: readonly Route[] = [
  get('listSlackIntegrations', '/support/integrations/slack', 'slackIntegrations', { summary: 'List Slack integrations', addition: true }),
  post('createSlackIntegration', '/support/integrations/slack', 'createSlackIntegration', {
    summary: 'Create a Slack integration',
    errors: { DUPLICATE_RESOURCE: 'the channel has an integration' },
    description:
      'Matching events are posted to the incoming webhook, one after the other and about one in a second; each once, but for an answer that was lost. `message_format.template` is the name of a template (`ticket_update`, `compact`, `detailed`) or a text in mrkdwn with placeholders such as `{{ticket.number}}`. `webhook_url` is kept encrypted and never shown again. Slack is not asked: `test` does that. 409 where there is one with this webhook and channel.',
    example: {
      webhook_url: 'https://hooks.slack.com/services/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',
      channel: '#support',
      events: ['ticket.created', 'ticket.escalated', 'sla.breach'],
      filters: { priorities: ['high', 'critical'] },
      message_format: { template: 'ticket_update' },
    },
  }),
  get('getSlackIntegration', '/support/integrations/slack/{slack_integration_id}', 'slackIntegration', {
    summary: 'Get a Slack integration',
    addition: true,
  }),
  put('updateSlackIntegration', '/support/integrations/slack/{slack_integration_id}', 'updateSlackIntegration', {
    summary: 'Update a Slack integration',
    description: 'What is left out stays as it is. `active: true` resumes one that was disabled.',
    addition: true,
    example: { events: ['ticket.*'], message_format: { template: '*{{event.title}}* {{ticket.number}} {{ticket.title}}' } },
  }),
  del('deleteSlackIntegration', '/support/integrations/slack/{slack_integration_id}', 'deleteSlackIntegration', {
    summary: 'Delete a Slack integration',
    addition: true,
  }),
  get('listSlackIntegrationDeliveries', '/support/integrations/slack/{slack_integration_id}/deliveries', 'slackIntegrationDeliveries', {
    summary: 'List the deliveries to Slack',
    description: DELIVERIES,
    addition: true,
  }),
  post('testSlackIntegration', '/support/integrations/slack/{slack_integration_id}/test', 'testSlackIntegration', {
    summary: 'Test a Slack integration',
    description: TESTED,
    status: 200,
    addition: true,
  }),
];

const jira: readonly Route[] = [
  get('listJiraIntegrations', '/support/integrations/jira', 'jiraIntegrations', {
    summary: 'List Jira integrations',
    select: jiraIntegration,
    addition: true,
  }),
  post('createJiraIntegration', '/support/integrations/jira', 'createJiraIntegration', {
    summary: 'Create a Jira integration',
    errors: { DUPLICATE_RESOURCE: 'the project has an integration' },
    description:
      'New tickets become issues (type Task, labelled with the id of the ticket), and changes of their priority and status follow; which transition a status would be only the project knows, so it is told in a comment. Comments for the customer go to the issue. For the other direction register a webhook in Jira at `inbound_url` with `inbound_secret`, which this answer alone shows. `api_token` is kept encrypted and never shown again. Jira is not asked: `test` does that. 409 where there is one with this project.',
    select: jiraIntegration,
    example: {
      jira_url: 'https://acme.atlassian.net',
      username: 'desk@acme.example.com',
      api_token: 'ATATT3xFfGF0c2VjcmV0dG9rZW4',
      project_key: 'SUP',
      sync_settings: {
        create_jira_issues: true,
        sync_comments: true,
        priority_mapping: { critical: 'Highest', high: 'High', medium: 'Medium', low: 'Low' },
      },
    },
  }),
  get('getJiraIntegration', '/support/integrations/jira/{jira_integration_id}', 'jiraIntegration', {
    summary: 'Get a Jira integration',
    select: jiraIntegration,
    addition: true,
  }),
  put('updateJiraIntegration', '/support/integrations/jira/{jira_integration_id}', 'updateJiraIntegration', {
    summary: 'Update a Jira integration',
    description: 'What is left out stays as it is, in `sync_settings` too. `active: true` resumes one that was disabled.',
    select: jiraIntegration,
    addition: true,
    example: { sync_settings: { sync_comments: false, priority_mapping: { critical: 'Blocker' } } },
  }),
  del('deleteJiraIntegration', '/support/integrations/jira/{jira_integration_id}', 'deleteJiraIntegration', {
    summary: 'Delete a Jira integration',
    description: 'Its issues stay in Jira, and tickets know of them no more.',
    select: jiraIntegration,
    addition: true,
  }),
  get('listJiraIntegrationDeliveries', '/support/integrations/jira/{jira_integration_id}/deliveries', 'jiraIntegrationDeliveries', {
    summary: 'List the deliveries to Jira',
    description: DELIVERIES,
    addition: true,
  }),
  post('testJiraIntegration', '/support/integrations/jira/{jira_integration_id}/test', 'testJiraIntegration', {
    summary: 'Test a Jira integration',
    description: TESTED,
    status: 200,
    addition: true,
  }),
  post('rotateJiraIntegrationSecret', '/support/integrations/jira/{jira_integration_id}/rotate-secret', 'rotateJiraIntegrationSecret', {
    summary: 'Rotate the webhook secret of a Jira integration',
    description: 'Shown in this answer only, as `inbound_secret`. The one before counts no more.',
    select: jiraIntegration,
    status: 200,
    addition: true,
  }),
];

export const integrations: readonly Route[] = [...slack, ...jira];

const text: JsonSchema = { type: 'string' };

/** Served by the support subgraph itself: the signature is of the exact bytes. */
export const jiraWebhookRoutes: readonly NonGraphRoute[] = [
  {
    method: 'POST',
    path: '/support/integrations/jira/{jira_integration_id}/webhook',
    operation: {
      operationId: 'receiveJiraWebhook',
      summary: 'Receive a webhook of Jira',
      description:
        'For a webhook of Jira Cloud with the events `comment_created`, `comment_updated`, `jira:issue_updated` and `jira:issue_deleted`. Comments become comments of the ticket, each once and never those that came from here. Other events are taken and left alone, as is everything while you have switched the integration off; while the platform has disabled it, comments still come. 401 for a bad signature, and in the same words where there is no such integration.',
      tags: ['Support'],
      security: [],
      parameters: [
        { name: 'jira_integration_id', in: 'path', required: true, schema: text },
        {
          name: 'X-Hub-Signature',
          in: 'header',
          required: true,
          description: '`sha256=` and the hex HMAC-SHA256 of the body, keyed with the `inbound_secret`.',
          schema: text,
        },
      ],
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
      responses: {
        204: { description: 'Taken.', headers: headersWith() },
        ...Object.fromEntries([401, 413, 429, 500].map((status) => [status, errorResponse(status)])),
      },
      'x-addition': true,
    },
  },
];
