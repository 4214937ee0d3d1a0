import { z } from 'zod';
import type { Permission } from '../access/principal.ts';
import { newId } from '../records/ids.ts';

/** The entity that an event is about: the name of its GraphQL type, and its id. */
export interface Subject {
  type: string;
  id: string;
}

/** The declaration of an event type (specification section 6). */
export interface EventType {
  name: string;
  /**
   * The family of the event, such as `billing` or `support` (specification section 6). It determines the permission
   * that is needed to read the event. A webhook can be limited to the family service, billing or support.
   */
  family: string;
  description: string;
  /**
   * The permission that is needed to read the event. Default: the read permission of the family. If this field is set,
   * a pattern with a wildcard does not match the type. So subscribers with a wildcard do not get events of a new
   * restricted type.
   */
  requires?: Permission;
  /**
   * True for an event that only the platform's own domains may read. No pattern matches it, and callers do not see it
   * in webhooks, subscriptions, queries or the documentation.
   */
  isInternal?: boolean;
  /** The payload schema, with names in snake_case as in REST. */
  data: z.ZodObject;
  example: Record<string, unknown>;
  /** False if the type is only announced, so that receivers can prepare for it. No events of the type are sent. */
  isEmitted: boolean;
}

/** An event before it gets its id. `data` must match the schema of the event type. */
export interface EventDraft<Data = Record<string, unknown>> {
  organizationId: string;
  occurredAt: Date;
  /**
   * Time when the platform recorded the event, by its own clock. Set this time if `occurredAt` comes from another clock, such as the clock
   * of a device. The retention period starts at this time. Default: `occurredAt`.
   */
  recordedAt?: Date;
  subject: Subject;
  /** Account that the event concerns. Null if it concerns no account. Subscribers can filter by account. */
  accountId?: string | null;
  data: Data;
}

export interface DomainEvent extends EventDraft {
  type: EventType;
}

/**
 * Creates events of one type. For example, `ticketCreated` in `record(tx, ticketCreated(ticket))` is an event factory.
 */
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
  /** The time of the platform's clock when the event was recorded. Default: `occurredAt`. */
  recordedAt?: Date;
  /** W3C trace context of the request that caused the event. Absent if the request had none. */
  traceparent?: string | null;
  /**
   * The JSON text of the event. Live subscriptions return this text as `payload`. A webhook body is this text with
   * `signature` added as the last field.
   */
  payload: string;
}

/**
 * Code of one domain that handles events of another domain. Each event is handled in a job, which runs at least once
 * and is retried until it succeeds.
 */
export interface Reaction {
  /** The name of the reaction, such as `billing.first-invoice`. Its queue and its inbox entries have the same name. */
  name: string;
  on: string;
  handle(event: LoggedEvent): Promise<void>;
  /**
   * Handles several events together, in the order in which they are in the log. It is used if more events are waiting than can be handled at
   * once. It must have either all effects or none: if it fails, `handle` handles each of the events. Default: events are always handled
   * separately.
   */
  handleTogether?: (events: readonly LoggedEvent[]) => Promise<void>;
  /**
   * `organization`: only events of one organization are handled together. `all`: events of several organizations are handled together;
   * the reaction must not use the sandbox clock. Default: `organization`.
   */
  together?: 'organization' | 'all';
}

/**
 * A consumer of the event log. It gets events in batches, in the order of the log. Each event is delivered at least
 * once.
 */
export interface LogConsumer {
  /**
   * The name of the consumer and of its cursor in the log, such as `support.integrations`. A new cursor begins at the
   * end of the log.
   */
  name: string;
  on: readonly string[];
  /**
   * Processes a batch. It must not repeat the effect of events that it has already processed.
   * @throws Error if the batch must be delivered again
   */
  consume(events: readonly LoggedEvent[]): Promise<void>;
}

/** A timestamp in an event: ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** Schema of changed fields, such as `{ "status": { "from": "open", "to": "resolved" } }`. */
export const changes = z.record(z.string(), z.strictObject({ from: z.unknown(), to: z.unknown() }));

type EventDeclaration<Data extends z.ZodObject> = Omit<EventType, 'data' | 'example' | 'isEmitted'> & {
  data: Data;
  example: z.input<Data>;
};

/**
 * Declares an event type. With `draft`, events of the type can be recorded; without `draft`, the type is only
 * announced. The compiler checks that the example and the draft match `data`.
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
 * Creates the id and the JSON text of an event (docs/decisions/events-and-webhooks.md). The field `signature` is added later, for each
 * webhook subscription.
 * @throws ZodError if the data does not match its type. In this case, the transaction that records the event fails
 */
export function envelopeOf({ type, organizationId, occurredAt, data }: DomainEvent): { id: string; payload: string } {
  type.data.parse(data);
  const id = newId('event');
  const payload = JSON.stringify({ id, event: type.name, timestamp: occurredAt, organization_id: organizationId, data });
  return { id, payload };
}

/** Returns the JSON Schema (draft 2020-12) of a payload. Timestamps have a `format` but no `pattern`. */
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
 * Returns true if the pattern of a subscriber matches an event type. A pattern is `*`, a full name, or the beginning of
 * a name followed by `.*`; it is compared with `name` and with `family.name`. A type with `requires` is matched only by
 * its full name, and an internal type by no pattern.
 */
export function matches(
  pattern: string,
  { name, family, requires, isInternal }: Pick<EventType, 'name' | 'family' | 'requires' | 'isInternal'>,
): boolean {
  if (isInternal) return false;
  return [name, `${family}.${name}`].some((candidate) => (requires ? pattern === candidate : matchesName(pattern, candidate)));
}

function matchesName(pattern: string, name: string): boolean {
  if (pattern === '*' || pattern === name) return true;
  return pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1));
}
