import type { JsonSchema } from '../json-schema.ts';
import type { Operation, Parameter } from './types.ts';

/** An event type that is posted to webhooks. */
export interface WebhookEvent {
  /** The name of the event type, such as `ticket.created`. */
  name: string;
  description: string;
  /** The permission that a subscriber needs. */
  requires: string;
  /** False if the event type is announced but not sent yet. */
  isEmitted: boolean;
  schema: JsonSchema;
  example: unknown;
}

const text = { type: 'string' };
const header = (name: string, required: boolean, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  required,
  description,
  schema: text,
  example,
});

const HEADERS = [
  header(
    'webhook-id',
    true,
    'The id of the event. It is the same in every attempt, redelivery and replay.',
    'evt_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  ),
  header('webhook-timestamp', true, 'The time of this attempt in Unix seconds.', '1769851800'),
  header(
    'webhook-signature',
    true,
    '`v1,` followed by the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. The key is the secret of the webhook. For 24 hours after a rotation there are two signatures, separated by a space.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
  header(
    'traceparent',
    false,
    'The W3C trace context of the request that caused the event, if that request sent one.',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  ),
];

const RESPONSES = {
  '2XX': { description: 'The event is delivered. Respond within 10 seconds and process the event afterwards.' },
  '410': { description: 'The platform disables the webhook.' },
  '4XX': { description: 'The platform retries the delivery.' },
  '5XX': { description: 'The platform retries the delivery.' },
};

/** Builds the `webhooks` section of the OpenAPI document: the requests that webhook receivers get. */
export const describeWebhooks = (events: readonly WebhookEvent[]): Record<string, { post: Operation }> =>
  Object.fromEntries(events.map((event) => [event.name, { post: describeEvent(event) }]));

function describeEvent({ name, description, requires, isEmitted, schema: { $schema: _, ...schema }, example }: WebhookEvent): Operation {
  const notes = [
    description,
    ...(isEmitted ? [] : ['Not available yet: webhooks can subscribe to this event, but the platform does not send it yet.']),
    `The subscriber needs the permission \`${requires}\`. An event can be delivered more than once: use \`webhook-id\` to detect duplicates.`,
  ];
  return {
    operationId: `on${name.replace(/(?:^|[._])(\w)/g, (_match, letter: string) => letter.toUpperCase())}`,
    summary: `Receive ${name}`,
    description: notes.join('\n\n'),
    tags: ['Webhooks'],
    security: [],
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: RESPONSES,
  };
}
