import { z } from 'zod';
import type { Permission } from '../access/principal.ts';
import { newId } from '../records/ids.ts';

/** The entity that an event is about, as the graph names it. */
export interface Subject {
  type: string;
  id: string;
}

/** What is declared of an event (specification section 6). */
export interface EventType {
  name: string;
  /** The family of section 6 that a subscription path accepts: service, billing, support. */
  family: string;
  description: string;
  /**
   * What its readers must hold, instead of the read permission of the family. Such a type is covered by its own name only and by no
   * wildcard: whoever subscribed to a pattern is not sent what only some may read because a type came to be.
   */
  requires?: Permission;
  /** In the spelling of REST and events: snake_case. */
  data: z.ZodObject;
  example: Record<string, unknown>;
  /** False while its domain only announces it, so that receivers can be made ready. */
  isEmitted: boolean;
}

/** An event as a domain drafts it, before it has an id; `data` is as the schema of its type describes it. */
export interface EventDraft<Data = Record<string, unknown>> {
  organizationId: string;
  occurredAt: Date;
  /** By the platform's clock, where `occurredAt` is told by another one: the event is kept and deleted by it. Default: `occurredAt`. */
  recordedAt?: Date;
  subject: Subject;
  /** The account that it concerns, by which subscribers may narrow; absent where it concerns none. */
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

/** An event as the log keeps it and reactions get it. */
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
  /** W3C trace context of the request that led to it; absent where none was sent. */
  traceparent?: string | null;
  /** The exact text of the envelope: what a subscription's `payload` and a webhook's body carry. */
  payload: string;
}

/** What another subgraph does about an event: run as a job, retried until it succeeds, at least once. */
export interface Reaction {
  /** `billing.first-invoice`: names its queue and its claim in the inbox. */
  name: string;
  on: string;
  handle(event: LoggedEvent): Promise<void>;
}

/** A consumer of the event log: it gets events in the order of the log, in batches, each at least once. */
export interface LogConsumer {
  /** `support.integrations`: names its place in the log, which begins at the log's end when there is none. */
  name: string;
  on: readonly string[];
  /** Finds out itself what it has read before. @throws where the batch is to come again */
  consume(events: readonly LoggedEvent[]): Promise<void>;
}

/** An instant as events spell it: ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** What changed, by member: `{ "status": { "from": "open", "to": "resolved" } }`. */
export const changes = z.record(z.string(), z.strictObject({ from: z.unknown(), to: z.unknown() }));

type EventDeclaration<Data extends z.ZodObject> = Omit<EventType, 'data' | 'example' | 'isEmitted'> & {
  data: Data;
  example: z.input<Data>;
};

/**
 * Declares an event type, in one place. With `draft` it can be emitted; without it is only announced. The example and the draft
 * compile only if they fit `data`.
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
 * The envelope as text, and the id it was given (docs/decisions/events-and-webhooks.md). `signature` is added per subscription, last.
 * @throws ZodError for data that does not fit its type, which fails the transaction that records it
 */
export function envelopeOf({ type, organizationId, occurredAt, data }: DomainEvent): { id: string; payload: string } {
  type.data.parse(data);
  const id = newId('event');
  const payload = JSON.stringify({ id, event: type.name, timestamp: occurredAt, organization_id: organizationId, data });
  return { id, payload };
}

/** JSON Schema (draft 2020-12) of what is sent. Of instants it says their format, without the pattern that spells it out. */
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
 * Whether a subscriber's pattern covers an event: matched against `name` and `family.name`, `*` standing for any rest. What only
 * some may read (`requires`) is covered by its name alone.
 */
export function matches(pattern: string, { name, family, requires }: Pick<EventType, 'name' | 'family' | 'requires'>): boolean {
  return [name, `${family}.${name}`].some((candidate) => (requires ? pattern === candidate : matchesName(pattern, candidate)));
}

function matchesName(pattern: string, name: string): boolean {
  if (pattern === '*' || pattern === name) return true;
  return pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1));
}
