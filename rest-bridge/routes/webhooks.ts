import { area, del, get, post, put, type RouteOptions } from '../route.ts';

const example = { url: 'https://example.com/hooks', events: ['ticket.*', 'billing.invoice.*'], description: 'The service desk' };

/** All four paths create into one store; those of a family take its events only, and filters are of tickets (specification 2.8). */
const ofFamily = (family: string, events: string[]): RouteOptions => ({
  summary: `Subscribe to events of the ${family} family`,
  description: `Like \`POST /webhooks\`, and delivers events of the ${family} family only.`,
  fixed: { family },
  omit: family === 'support' ? [] : ['filters'],
  example: { url: 'https://example.com/hooks', events, ...(family === 'support' && { filters: { priorities: ['high', 'critical'] } }) },
});

/** Webhooks and the events that they deliver (specification 2.8, 4.8, 6). */
export const webhooks = area(
  'Webhooks',
  'Subscriptions to events, and what was delivered to them.',
  [
    get('listWebhooks', '/webhooks', 'webhooks', { summary: 'List webhooks' }),
    post('createWebhook', '/webhooks', 'createWebhook', {
      summary: 'Create a webhook',
      description:
        'Events are posted to `url` as JSON: `id`, `event`, `timestamp`, `organization_id`, `data`, `signature`. `signature` is `sha256=` and the hex HMAC-SHA256, keyed with the secret, of the exact text without that member, which is the last one; without it the body is, byte for byte, the `payload` of the GraphQL subscription `events`. The headers `webhook-id`, `webhook-timestamp` and `webhook-signature` are those of the Standard Webhooks specification. Answer 2xx within 10 seconds; 410 ends the subscription; anything else is tried again, ten times over three days. The secret is shown in this answer only. How a receiver verifies them, in three languages: /docs/guide/webhooks.',
      omit: ['family'],
      example,
    }),
    get('listWebhookEvents', '/webhooks/events', 'webhookEvents', {
      summary: 'List the events that there are',
      description: 'With a JSON Schema and an example of each body.',
    }),
    get('getWebhookUsage', '/webhooks/usage', 'webhookUsage', {
      summary: 'Get the webhook usage of this month',
      description: 'Deliveries of the calendar month (UTC), and how many the plan allows. What is beyond is recorded as `skipped`.',
      addition: true,
    }),
    get('getWebhook', '/webhooks/{webhook_id}', 'webhook', { summary: 'Get a webhook' }),
    put('updateWebhook', '/webhooks/{webhook_id}', 'updateWebhook', {
      summary: 'Update a webhook',
      description: 'What is left out keeps its value.',
      example: { events: ['ticket.*'], active: true },
    }),
    del('deleteWebhook', '/webhooks/{webhook_id}', 'deleteWebhook', {
      summary: 'Delete a webhook',
      description: 'Stops what waits for it and forgets its deliveries.',
    }),
    get('listWebhookDeliveries', '/webhooks/{webhook_id}/deliveries', 'webhookDeliveries', {
      summary: 'List what was delivered',
      description:
        'Newest first; one record for each event, as its last attempt left it. `created_after` and `created_before` are of when it was planned, the first inclusive and the second exclusive.',
    }),
    post('testWebhook', '/webhooks/{webhook_id}/test', 'testWebhook', {
      summary: 'Send a test event',
      description: 'Posts a signed `webhook.test` at once, without retries, and answers what came of it.',
    }),
    get('getWebhookDelivery', '/webhooks/{webhook_id}/deliveries/{delivery_id}', 'webhookDelivery', {
      summary: 'Get a delivery',
      addition: true,
    }),
    post('redeliverWebhookDelivery', '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', 'redeliverWebhookDelivery', {
      summary: 'Redeliver an event',
      errors: { INVALID_STATE: 'the delivery is under way' },
      description:
        'One more attempt, at once, under the same `webhook-id`. If it fails again, the schedule goes on where attempts are left. 409 where the webhook is inactive (resume it), the delivery is `pending` or a `webhook.test`, its event has left the log, or the deliveries of the month are used up.',
      status: 202,
      addition: true,
    }),
    post('replayWebhook', '/webhooks/{webhook_id}/replay', 'replayWebhook', {
      summary: 'Replay events',
      description:
        'Everything that the webhook wants, that happened since then and that did not reach it: never planned, `skipped` or `exhausted`, or what `status` says. Each event once, in order, under its own `webhook-id`. Goes on by itself; the answer says how many events are looked at. 409 where the webhook is inactive.',
      status: 202,
      addition: true,
      example: { since: '2026-01-31T09:30:00.000Z', status: ['skipped', 'exhausted'] },
    }),
    post('rotateWebhookSecret', '/webhooks/{webhook_id}/rotate-secret', 'rotateWebhookSecret', {
      summary: 'Rotate the secret of a webhook',
      description:
        'Given, or made; shown in this answer only. For 24 hours the one before signs too: `webhook-signature` lists both signatures, the new one first. The member `signature` of the body is of the new one only. A second rotation ends the oldest at once.',
      status: 200,
      addition: true,
      example: { secret: 'whsec_EXAMPLEEXAMPLEEXAMPLEEXAMPLE' },
    }),
    post('resumeWebhook', '/webhooks/{webhook_id}/resume', 'resumeWebhook', {
      summary: 'Resume a webhook',
      errors: { INVALID_STATE: 'the webhook is active' },
      description:
        'Whoever had stopped it. What waits is delivered; what was recorded as `skipped` while the platform had it disabled is sent by a replay. 409 where it is active.',
      status: 200,
      addition: true,
    }),
    post('createServiceWebhook', '/services/webhooks', 'createWebhook', ofFamily('service', ['service.*'])),
    post('createBillingWebhook', '/billing/webhooks', 'createWebhook', {
      ...ofFamily('billing', ['invoice.*', 'payment.failed']),
      category: 'billing',
    }),
    post('createSupportWebhook', '/support/webhooks', 'createWebhook', ofFamily('support', ['ticket.escalated', 'sla.breach'])),
  ],
  'Events',
);
