import { z } from 'zod';
import { newId } from './ids.ts';

/** The entity that an event is about, as the graph names it. */
export interface Subject {
  type: string;
  id: string;
}

/** Something that happened, as a domain states it. `data` is in the spelling of REST and events: snake_case. */
export interface DomainEvent {
  name: string;
  organizationId: string;
  occurredAt: Date;
  subject: Subject;
  /** The account that it concerns, by which subscribers may narrow; absent where it concerns none. */
  accountId?: string | null;
  data: Record<string, unknown>;
}

/** What the catalogue knows of an event (specification section 6). */
export interface EventType {
  name: string;
  /** The family of section 6 that a subscription path accepts: service, billing, support. */
  family: string;
  description: string;
  data: z.ZodObject;
  example: Record<string, unknown>;
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

/** An instant as events spell it: ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

const checks = new Map<string, z.ZodObject>();

/** States an event type. Recording one whose data does not fit its schema fails the transaction that records it. */
export function defineEvent(type: EventType): EventType {
  checks.set(type.name, type.data);
  return type;
}

/** The envelope of decisions.md (Events) as text, and the id it was given. `signature` is added per subscription, last. */
export function envelopeOf({ name, organizationId, occurredAt, data }: DomainEvent): { id: string; payload: string } {
  const schema = checks.get(name);
  if (!schema) throw new Error(`The event ${name} is not in the catalogue.`);
  schema.parse(data);
  const id = newId('event');
  const payload = JSON.stringify({ id, event: name, timestamp: occurredAt, organization_id: organizationId, data });
  return { id, payload };
}

/** Whether a subscriber's pattern covers an event: matched against `name` and `family.name`, `*` standing for any rest. */
export function matches(pattern: string, { name, family }: Pick<EventType, 'name' | 'family'>): boolean {
  return [name, `${family}.${name}`].some((candidate) => matchesName(pattern, candidate));
}

function matchesName(pattern: string, name: string): boolean {
  if (pattern === '*' || pattern === name) return true;
  return pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1));
}
