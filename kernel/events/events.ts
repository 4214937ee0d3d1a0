import { z } from 'zod';
import type { Permission } from '../access/principal.ts';
import { newId } from '../records/ids.ts';

/** The entity that an event is about, by its GraphQL type name. */
export interface Subject {
  type: string;
  id: string;
}

/** The declaration of an event type (specification section 6). */
export interface EventType {
  name: string;
  /** The family of section 6 that a subscription path accepts: service, billing, support. */
  family: string;
  description: string;
  /**
   * The permission that readers need instead of the read permission of the family.
   * Wildcards do not match such a type, only its own name does. So a new restricted type is never sent to existing subscribers of a
   * pattern.
   */
  requires?: Permission;
  /** The payload schema, with names in snake_case as in REST. */
  data: z.ZodObject;
  example: Record<string, unknown>;
  /** False while the domain only announces the type, so that receivers can prepare. */
  isEmitted: boolean;
}

/** An event before it gets its id. `data` matches the schema of its type. */
export interface EventDraft<Data = Record<string, unknown>> {
  organizationId: string;
  occurredAt: Date;
  /** The time on the platform's clock, if `occurredAt` comes from another clock. Retention counts from it. Default: `occurredAt`. */
  recordedAt?: Date;
  subject: Subject;
  /** The account that the event concerns, for subscribers that filter by account. Absent if it concerns none. */
  accountId?: string | null;
  data: Data;
}

export interface DomainEvent extends EventDraft {
  type: EventType;
}

/** Creates an event of one type: `record(tx, ticketCreated(ticket))`. */
export interface EventFactory<Arguments extends unknown[]> {
  (...parameters: Arguments): DomainEvent;
  readonly type: EventType;
}

/** An event as stored in the log and passed to reactions. */
export interface LoggedEvent {
  id: string;
  sequence: string;
  organizationId: string;
  event: string;
  subject: Subject;
  accountId: string | null;
  occurredAt: Date;
  /** Default: `occurredAt`. */
  recordedAt?: Date;
  /** W3C trace context of the request that caused the event; absent if none was sent. */
  traceparent?: string | null;
  /** The exact JSON text of the envelope: the `payload` of a subscription and the base of a webhook body. */
  payload: string;
}

/** A reaction of another subgraph to an event. It runs as a job, at least once, and is retried until it succeeds. */
export interface Reaction {
  /** For example `billing.first-invoice`: the name of its queue and of its entries in the inbox. */
  name: string;
  on: string;
  handle(event: LoggedEvent): Promise<void>;
}

/** A consumer of the event log. It gets events in batches, in the order of the log, each at least once. */
export interface LogConsumer {
  /** For example `support.integrations`: the name of its cursor. A new cursor begins at the end of the log. */
  name: string;
  on: readonly string[];
  /**
   * Must recognize events that it has already processed.
   * @throws if the batch must be delivered again
   */
  consume(events: readonly LoggedEvent[]): Promise<void>;
}

/** A timestamp in an event: ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** The changed fields: `{ "status": { "from": "open", "to": "resolved" } }`. */
export const changes = z.record(z.string(), z.strictObject({ from: z.unknown(), to: z.unknown() }));

type EventDeclaration<Data extends z.ZodObject> = Omit<EventType, 'data' | 'example' | 'isEmitted'> & {
  data: Data;
  example: z.input<Data>;
};

/**
 * Declares an event type. With `draft`, events of the type can be emitted; without it, the type is only announced. The example and the
 * draft must match `data`, or the code does not compile.
 */
export function defineEvent<Data extends z.ZodObject>(type: EventDeclaration<Data>): EventType;
export function defineEvent<Data extends z.ZodObject, Arguments extends unknown[]>(
  type: EventDeclaration<Data>,
  draft: (...parameters: Arguments) => EventDraft<z.input<Data>>,
): EventFactory<Arguments>;
export function defineEvent<Arguments extends unknown[]>(
  declaration: EventDeclaration<z.ZodObject>,
  draft?: (...parameters: Arguments) => EventDraft,
) {
  const type: EventType = { ...declaration, isEmitted: draft !== undefined };
  return draft ? Object.assign((...parameters: Arguments): DomainEvent => ({ type, ...draft(...parameters) }), { type }) : type;
}

/**
 * Creates the id and the envelope text of an event (docs/decisions/events-and-webhooks.md). `signature` is appended per subscription.
 * @throws ZodError if the data does not match its type; this fails the transaction that records the event
 */
export function envelopeOf({ type, organizationId, occurredAt, data }: DomainEvent): { id: string; payload: string } {
  type.data.parse(data);
  const id = newId('event');
  const payload = JSON.stringify({ id, event: type.name, timestamp: occurredAt, organization_id: organizationId, data });
  return { id, payload };
}

/** JSON Schema (draft 2020-12) of the payload. Timestamps have their format, without the regular expression of it. */
export function jsonSchemaOf(schema: z.ZodObject): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}

/**
 * Returns true if a subscriber's pattern matches an event type. The pattern is compared with `name` and `family.name`; `*` matches any
 * rest. A type with `requires` is matched only by its exact name.
 */
export function matches(pattern: string, { name, family, requires }: Pick<EventType, 'name' | 'family' | 'requires'>): boolean {
  return [name, `${family}.${name}`].some((candidate) => (requires ? pattern === candidate : matchesName(pattern, candidate)));
}

function matchesName(pattern: string, name: string): boolean {
  if (pattern === '*' || pattern === name) return true;
  return pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1));
}
