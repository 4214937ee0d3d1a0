import { area, del, get, post, put, type RouteOptions } from '../route.ts';

const example = { url: 'https://example.com/hooks', events: ['ticket.*', 'billing.invoice.*'], description: 'The service desk' };

/**
 * Returns the options of a route that creates webhooks for the events of one family, such as `POST /billing/webhooks` (specification 2.8).
 * The created records are of the same kind as with `POST /webhooks`. Only the support route accepts filters.
 */
const ofFamily = (family: string, events: string[]): RouteOptions => ({
  summary: `Create a webhook for ${family} events`,
  description: `Creates a webhook like \`POST /webhooks\`, but the webhook gets events of the ${family} family only.`,
  fixed: { family },
  omit: family === 'support' ? [] : ['filters'],
  example: { url: 'https://example.com/hooks', events, ...(family === 'support' && { filters: { priorities: ['high', 'critical'] } }) },
});

/** REST routes of webhooks and of the events that they deliver (specification 2.8, 4.8, 6). */
export const webhooks = area(
  'Webhooks',
  'A webhook sends events to your server as HTTP requests. Each event that is sent to a webhook is a delivery.',
  [
    get('listWebhooks', '/webhooks', 'webhooks', { summary: 'List webhooks' }),
    post('createWebhook', '/webhooks', 'createWebhook', {
      summary: 'Create a webhook',
      description:
        'Creates a webhook. Events are posted to `url` as JSON with the fields `id`, `event`, `timestamp`, `organization_id`, `data` and `signature`. Only this response contains the secret.\n\n`signature` is the last field: `sha256=` followed by the HMAC-SHA256 in hex, keyed with the secret. The HMAC is calculated over the exact body without this field. The body without this field is, byte for byte, the `payload` of the GraphQL subscription `events`. The headers `webhook-id`, `webhook-timestamp` and `webhook-signature` follow the Standard Webhooks specification. [Webhooks](/docs/guide/webhooks) shows in three languages how a receiver verifies signatures.\n\nRespond with 2xx within 10 seconds. 410 disables the webhook. After any other result the delivery is retried, up to ten times over three days.',
      omit: ['family'],
      example,
    }),
    get('listWebhookEvents', '/webhooks/events', 'webhookEvents', {
      summary: 'List event types',
      description: 'Lists the event types that a webhook can subscribe to. Each event type has a JSON Schema and an example of its body.',
    }),
    get('getWebhookUsage', '/webhooks/usage', 'webhookUsage', {
      summary: 'Get the webhook usage of this month',
      description:
        'Returns the number of deliveries in the calendar month (UTC) and the limit of the plan. Deliveries beyond the limit are recorded as `skipped`.',
      addition: true,
    }),
    get('getWebhook', '/webhooks/{webhook_id}', 'webhook', { summary: 'Get a webhook' }),
    put('updateWebhook', '/webhooks/{webhook_id}', 'updateWebhook', {
      summary: 'Update a webhook',
      description: 'Changes a webhook. Omit a field to keep its value.',
      example: { events: ['ticket.*'], active: true },
    }),
    del('deleteWebhook', '/webhooks/{webhook_id}', 'deleteWebhook', {
      summary: 'Delete a webhook',
      description: 'Deletes a webhook and its delivery records. Waiting deliveries are not sent.',
    }),
    get('listWebhookDeliveries', '/webhooks/{webhook_id}/deliveries', 'webhookDeliveries', {
      summary: 'List webhook deliveries',
      description: 'Lists the deliveries of a webhook, newest first: one record per event, with the result of the last attempt.',
    }),
    post('testWebhook', '/webhooks/{webhook_id}/test', 'testWebhook', {
      summary: 'Send a test event',
      description: 'Sends a signed `webhook.test` event immediately and returns the result. There are no retries.',
    }),
    get('getWebhookDelivery', '/webhooks/{webhook_id}/deliveries/{delivery_id}', 'webhookDelivery', {
      summary: 'Get a webhook delivery',
      addition: true,
    }),
    post('redeliverWebhookDelivery', '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', 'redeliverWebhookDelivery', {
      summary: 'Redeliver an event',
      errors: { INVALID_STATE: 'one of the cases above' },
      description:
        'Makes one more attempt to deliver an event immediately, with the same `webhook-id`. If it fails and the retry schedule has attempts left, the schedule continues.\n\nThe response is 409 in these cases:\n\n- The webhook is inactive. Resume it first.\n- The delivery is `pending`.\n- The event is a `webhook.test`.\n- The event is no longer in the log.\n- The monthly limit of deliveries is reached.',
      status: 202,
      addition: true,
    }),
    post('replayWebhook', '/webhooks/{webhook_id}/replay', 'replayWebhook', {
      summary: 'Replay events',
      description:
        'Sends the events that were recorded at `since` or later, match the webhook, and were not delivered. These are the events without a delivery record, and the events whose delivery has the status `skipped` or `exhausted`. Use `status` to select deliveries with another status. Each event is sent once, in order, with its original `webhook-id`. The replay runs in the background. The response contains the number of events that the replay checks. If the webhook is inactive, the response is 409.',
      status: 202,
      addition: true,
      example: { since: '2026-01-31T09:30:00.000Z', status: ['skipped', 'exhausted'] },
    }),
    post('rotateWebhookSecret', '/webhooks/{webhook_id}/rotate-secret', 'rotateWebhookSecret', {
      summary: 'Rotate the secret of a webhook',
      description:
        'Replaces the secret of a webhook. Send the new secret, or let the platform generate it. Only this response contains the new secret. For 24 hours, the previous secret also signs: `webhook-signature` lists both signatures, the new one first. The field `signature` of the body uses the new secret only. After a second rotation, the oldest secret no longer signs.',
      status: 200,
      addition: true,
      example: { secret: 'whsec_EXAMPLEEXAMPLEEXAMPLEEXAMPLE' },
    }),
    post('resumeWebhook', '/webhooks/{webhook_id}/resume', 'resumeWebhook', {
      summary: 'Resume a webhook',
      errors: { INVALID_STATE: 'the webhook is active' },
      description:
        'Activates the webhook again, whether you or the platform disabled it. Waiting events are delivered. To send the events that were recorded as `skipped` while the webhook was disabled, start a replay. If the webhook is already active, the response is 409.',
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
