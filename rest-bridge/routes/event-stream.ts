import { parse } from 'graphql';
import { errorResponse, headersWith } from '../openapi/components.ts';
import { type Parameter, ref } from '../openapi/types.ts';
import { get, type NonGraphRoute } from '../route.ts';

const text = { type: 'string' };
const query = (name: string, description: string, schema: Parameter['schema'] = text): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
  ...(schema.type === 'array' && { style: 'form', explode: false }),
});

/** The subscription `events` as server-sent events, for clients without WebSocket. */
export const eventStream = get('streamEvents', '/events/stream', 'events', {
  summary: 'Stream events as server-sent events',
  names: { events: 'patterns' },
  addition: true,
});

/** The GraphQL operation behind the stream. It selects the fields that a frame contains. */
export const EVENTS = parse(
  `subscription streamEvents($patterns: [String!], $accountId: ID, $subjectId: ID, $after: ID) {
    events(patterns: $patterns, accountId: $accountId, subjectId: $subjectId, after: $after) { id event payload }
  }`,
  { noLocation: true },
);

const EXAMPLE =
  'id: evt_01JQ8Z6V4T9M3N2B1C0D9E8F7G\nevent: ticket.created\ndata: {"id":"evt_01JQ8Z6V4T9M3N2B1C0D9E8F7G","event":"ticket.created",…}\n\n';
const { method, path, operationId, summary } = eventStream;

export const eventStreamRoutes: readonly NonGraphRoute[] = [
  {
    method,
    path,
    operation: {
      operationId,
      summary,
      description: [
        'Streams the same events as the GraphQL subscription `events`, for clients without WebSocket, such as `EventSource` and curl. Each message contains the id and the name of an event, and its payload as `data`. The payload is, byte for byte, the body of a webhook without the signature. A client that reconnects with `Last-Event-ID` misses no event and gets no event twice; `EventSource` does this automatically. A comment is sent every 15 seconds, so that proxies keep the connection open.',
        'The response ends when the credentials are no longer valid, when permissions were removed, when the server stops, or when the client reads too slowly. Reconnect in these cases. Problems before the stream starts are ordinary error responses. An open stream counts as one live connection and one live subscription of the plan. It does not count as a concurrent request.',
        'Permission: `webhooks:read`, and for each event the read permission of its family.',
      ].join('\n\n'),
      tags: ['Webhooks'],
      parameters: [
        query(
          'events',
          'Names and patterns of events, such as `ticket.created` and `ticket.*`. Default: all events that the caller can read.',
          {
            type: 'array',
            items: text,
          },
        ),
        query('account_id', 'Only events of this account.'),
        query('subject_id', 'Only events about this record.'),
        query('after', 'The id of the last event that the client received. The stream starts with the events after it.'),
        { name: 'Last-Event-ID', in: 'header', description: 'Same as `after`, and takes precedence over it.', schema: text },
        ref('parameters', 'ApiVersion'),
      ],
      responses: {
        200: {
          description: 'A stream of events that stays open while the client is connected.',
          headers: headersWith(),
          content: { 'text/event-stream': { schema: text, example: EXAMPLE } },
        },
        ...Object.fromEntries([400, 401, 403, 429, 500].map((status) => [status, errorResponse(status)])),
      },
      'x-permission': 'webhooks:read',
      'x-addition': true,
    },
  },
];
