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

/** The subscription `events`, for clients without WebSocket. */
export const eventStream = get('streamEvents', '/events/stream', 'events', {
  summary: 'Follow events as server-sent events',
  names: { events: 'patterns' },
  addition: true,
});

/** What one event's frame is made of. */
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
        'The GraphQL subscription `events` for clients without WebSocket, such as `EventSource` and curl. Each frame has the id of an event, its name and as `data` its payload, byte for byte what a webhook gets before its signature. A client that reconnects with `Last-Event-ID`, as `EventSource` does by itself, misses nothing and sees nothing twice. A comment every 15 seconds keeps proxies awake.',
        'The response ends when the credentials stop to hold, when permissions were taken since it began, when the server stops, and when the client reads too slowly: reconnect. What is wrong before it begins is an ordinary error. One that is open counts as a live connection and a live subscription of the plan, and holds no slot.',
        'Permission: `webhooks:read`, and of each event the read permission of its family.',
      ].join('\n\n'),
      tags: ['Webhooks'],
      parameters: [
        query('events', 'Names and patterns: `ticket.created`, `ticket.*`. Default: all that the caller may read.', {
          type: 'array',
          items: text,
        }),
        query('account_id', 'Events of this account only.'),
        query('subject_id', 'Events about this record only.'),
        query('after', 'The id of the last event that was seen; everything since then comes first.'),
        { name: 'Last-Event-ID', in: 'header', description: 'The same; wins over `after`.', schema: text },
        ref('parameters', 'ApiVersion'),
      ],
      responses: {
        200: {
          description: 'The events, for as long as the client listens.',
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
