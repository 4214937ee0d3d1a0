import { scopeOf } from '../../../kernel/access/principal.ts';
import type { LiveField } from '../../../kernel/domain.ts';
import type { SchemaExtension } from '../../../kernel/graphql/build-subgraph.ts';
import type { EventsContext } from '../context.ts';
import type { EventRecord } from '../log/event.entity.ts';
import type { Narrowing } from './stream.service.ts';

/** Schema extension from the domains' declarations: a subscription for each, and fields of Event that lead to the record. */
export function liveFields(declarations: readonly LiveField[]): SchemaExtension | undefined {
  if (declarations.length === 0) return undefined;
  const subjects = [...new Set(declarations.map(({ subject }) => subject))];
  const eventFields = new Map(declarations.map(({ eventField, subject }) => [eventField, subject]));
  return {
    sdl: [
      ...subjects.map((subject) => `type ${subject} @key(fields: "id") { id: ID! }`),
      `"""A record that events are about."""\nunion EventSubject = ${subjects.join(' | ')}`,
      'extend type Event {',
      described('The record as it is now; null for records that the graph does not have.', 'subject: EventSubject'),
      ...[...eventFields].map(([eventField, subject]) =>
        described(`The ${subject} that it is about, as it is now; null for other events.`, `${eventField}: ${subject}`),
      ),
      '}',
      'extend type Subscription {',
      ...declarations.map(({ field, description, requires, eventField, subject }) =>
        described(
          `${description} Returns the event; \`${eventField}\` in it is the ${subject} as it is now: \`{ ${field} { event ${eventField} { id } } }\`. ${ARGUMENTS}`,
          `${field}(id: ID, accountId: ID, after: ID): Event! ${requiring(requires)}`,
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

const ARGUMENTS =
  '`id`, `accountId`: of this record, of this account only. `after`: the id of the last event that was seen; everything since then comes first.';

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
