import type { JsonSchema } from '../json-schema.ts';
import { errorResponse, headersWith } from '../openapi/components.ts';
import { del, get, type NonGraphRoute, post, put, type Route, view } from '../route.ts';

const jiraIntegration = view('JiraIntegration', '{ ...fields inboundUrl }');

const TESTED =
  'The response is 200 even if the test fails: `succeeded` and `error` contain the result. A failed test does not disable the integration.';
const DELIVERIES = 'Lists the deliveries of an integration, newest first: one record per event, with the result of the last attempt.';

const slack: readonly Route[] = [
  get('listSlackIntegrations', '/support/integrations/slack', 'slackIntegrations', { summary: 'List Slack integrations', addition: true }),
  post('createSlackIntegration', '/support/integrations/slack', 'createSlackIntegration', {
    summary: 'Create a Slack integration',
    errors: { DUPLICATE_RESOURCE: 'the webhook and channel already have an integration' },
    description:
      'Creates a Slack integration. Matching events are posted to the incoming webhook in order, about one per second. A message can arrive twice only if the response of Slack was lost. `message_format.template` is the name of a template (`ticket_update`, `compact`, `detailed`) or a text in mrkdwn with placeholders such as `{{ticket.number}}`; messages about alerts and incidents have a fixed format. `events` with alerts or incidents need `monitoring:read` too; otherwise the response is 403, and `details.pattern` names the pattern. `webhook_url` is stored encrypted and never shown again. This request does not contact Slack; send a test message to check the settings. If this webhook and channel already have an integration, the response is 409.',
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
    description:
      'Changes a Slack integration. Omit a field to keep its value. `active: true` resumes a disabled integration. If the integration has events of alerts or incidents, before or after the change, a change of `events`, `channel` or `webhook_url` needs `monitoring:read` too.',
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
    description: `Posts a test message to Slack. ${TESTED}`,
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
    errors: { DUPLICATE_RESOURCE: 'the project already has an integration' },
    description:
      'Creates a Jira integration. Each new ticket becomes a Jira issue of type Task, with the id of the ticket as its label. Changes of priority are copied to the issue. A change of status is posted as a comment, because the transitions depend on the project. Comments that the customer can see are copied too. For the other direction, register a webhook in Jira with `inbound_url` and `inbound_secret`; only this response contains the secret. `api_token` is stored encrypted and never shown again. This request does not contact Jira; use the test operation to check the settings. If the project already has an integration, the response is 409.',
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
    description:
      'Changes a Jira integration. Omit a field to keep its value, also within `sync_settings`. `active: true` resumes a disabled integration.',
    select: jiraIntegration,
    addition: true,
    example: { sync_settings: { sync_comments: false, priority_mapping: { critical: 'Blocker' } } },
  }),
  del('deleteJiraIntegration', '/support/integrations/jira/{jira_integration_id}', 'deleteJiraIntegration', {
    summary: 'Delete a Jira integration',
    description: 'Deletes a Jira integration. The issues stay in Jira, but tickets are no longer linked to them.',
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
    description: `Checks that the credentials of a Jira integration work and that its project exists. ${TESTED}`,
    status: 200,
    addition: true,
  }),
  post('rotateJiraIntegrationSecret', '/support/integrations/jira/{jira_integration_id}/rotate-secret', 'rotateJiraIntegrationSecret', {
    summary: 'Rotate the webhook secret of a Jira integration',
    description:
      'Replaces the secret of the webhook in Jira. Only this response contains the new secret, as `inbound_secret`. The previous secret stops working immediately.',
    select: jiraIntegration,
    status: 200,
    addition: true,
  }),
];

export const integrations: readonly Route[] = [...slack, ...jira];

const text: JsonSchema = { type: 'string' };

/**
 * The receiver of Jira's webhooks. The support domain serves it, because the signature must be verified with the exact
 * bytes of the body.
 */
export const jiraWebhookRoutes: readonly NonGraphRoute[] = [
  {
    method: 'POST',
    path: '/support/integrations/jira/{jira_integration_id}/webhook',
    operation: {
      operationId: 'receiveJiraWebhook',
      summary: 'Receive a webhook from Jira',
      description:
        'Receives the events `comment_created`, `comment_updated`, `jira:issue_updated` and `jira:issue_deleted` from a Jira Cloud webhook. Each comment in Jira becomes one comment on the ticket, except comments that the platform posted itself. Other events are accepted and ignored. If you deactivated the integration, all events are accepted and ignored. If the platform disabled it, comments are still processed. Responds with the same 401 for a bad signature and for an unknown integration.',
      tags: ['Support'],
      security: [],
      parameters: [
        { name: 'jira_integration_id', in: 'path', required: true, schema: text },
        {
          name: 'X-Hub-Signature',
          in: 'header',
          required: true,
          description: '`sha256=` followed by the HMAC-SHA256 of the body in hex. The key is `inbound_secret`.',
          schema: text,
        },
      ],
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
      responses: {
        204: { description: 'The event is accepted.', headers: headersWith() },
        ...Object.fromEntries([401, 413, 429, 500].map((status) => [status, errorResponse(status)])),
      },
      'x-addition': true,
    },
  },
];
