import { scopeOf } from '../../../kernel/access/principal.ts';
import type { LiveField } from '../../../kernel/domain.ts';
import type { SchemaExtension } from '../../../kernel/graphql/build-subgraph.ts';
import type { EventsContext } from '../context.ts';
import type { EventRecord } from '../log/event.entity.ts';
import type { Narrowing } from './stream.service.ts';

/**
 * Returns a schema extension for the live subscriptions that the domains declare. It adds one subscription field for
 * each declaration. It also adds fields to Event that return the record that the event is about.
 */
export function liveFields(declarations: readonly LiveField[]): SchemaExtension | undefined {
  if (declarations.length === 0) return undefined;
  const subjects = [...new Set(declarations.map(({ subject }) => subject))];
  const eventFields = new Map(declarations.map(({ eventField, subject }) => [eventField, subject]));
  return {
    sdl: [
      ...subjects.map((subject) => `type ${subject} @key(fields: "id") { id: ID! }`),
      `"""A record that an event can be about."""\nunion EventSubject = ${subjects.join(' | ')}`,
      'extend type Event {',
      described(
        'Record that the event is about, in its current state. Null if GraphQL has no type for the record, or the caller may not read it.',
        'subject: EventSubject',
      ),
      ...[...eventFields].map(([eventField, subject]) =>
        described(`${subject} that the event is about, in its current state. Null for other events.`, `${eventField}: ${subject}`),
      ),
      '}',
      'extend type Subscription {',
      ...declarations.map(({ field, description, requires, eventField, subject }) =>
        described(
          `${description} Returns the event; its field \`${eventField}\` is the ${subject} in its current state: \`{ ${field} { event ${eventField} { id } } }\`.`,
          `${field}(\n${argumentsOf(subject)}\n): Event! ${requiring(requires)}`,
        ),
      ),
      '}',
    ].join('\n'),
    resolvers: {
      EventSubject: { __resolveType: ({ __typename }: Reference) => __typename },
      Event: {
        subject: (event: EventRecord) => (subjects.includes(event.subjectType) ? referenceOf(event) : null),
        ...Object.fromEntries(
          [...eventFields].map(([eventField, subject]) => [
            eventField,
            (event: EventRecord) => (event.subjectType === subject ? referenceOf(event) : null),
          ]),
        ),
      },
      Subscription: Object.fromEntries(declarations.map((declaration) => [declaration.field, follower(declaration)])),
    },
  };
}

const argumentsOf = (subject: string): string =>
  [
    described(`Only events about the ${subject} with this id.`, 'id: ID'),
    described('Only events that concern this account (`acc_…`).', 'accountId: ID'),
    described('Id of the last event that the client received (`evt_…`). Later events come first.', 'after: ID'),
  ].join('\n');

interface Reference {
  __typename: string;
  id: string;
}

const referenceOf = ({ subjectType, subjectId }: EventRecord): Reference => ({ __typename: subjectType, id: subjectId });
const described = (description: string, field: string): string => `"""${description}"""\n${field}`;
const requiring = (permission: LiveField['requires']): string => `@requiresScopes(scopes: [["${scopeOf(permission)}"]])`;

const follower = ({ events, requires }: LiveField) => ({
  subscribe(_: unknown, { id, accountId, after }: Narrowing & { id?: string | null }, { principal, stream }: EventsContext) {
    principal.require(requires);
    return stream.events({ patterns: events, subjectId: id, accountId, after });
  },
  resolve: (event: EventRecord) => event,
});
