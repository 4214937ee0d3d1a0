import { Field, ObjectType } from 'type-graphql';
import { z } from 'zod';
import { type EventType, jsonSchemaOf, timestamp } from '../../../kernel/events/events.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { readPermission } from './event-types.ts';

/** Description of an event type for subscribers (specification section 6). */
@ObjectType('EventType', { description: 'An event type that a webhook can subscribe to.' })
export class EventTypeRecord {
  @Field(() => String, { description: 'Name of the event, such as `ticket.created`.' })
  name!: string;

  @Field(() => String, { description: 'Family of the event, such as `support`. A pattern can start with it: `support.ticket.*`.' })
  family!: string;

  @Field(() => String, { description: 'When the event is sent.' })
  description!: string;

  @Field(() => String, {
    description:
      'Permission that is required to receive the event, such as `support:read`. Patterns do not match an event that requires more than the read permission of its family. To receive such an event, subscribe to it by its full name.',
  })
  requires!: string;

  @Field(() => Boolean, {
    name: 'emitted',
    description: 'False if the platform does not send the event yet. A webhook can already subscribe to it.',
  })
  isEmitted!: boolean;

  @Field(() => JsonObject, { description: 'Example of a delivered body. The value of `signature` depends on the secret of the webhook.' })
  example!: Record<string, unknown>;

  @Field(() => JsonObject, { description: 'JSON Schema (draft 2020-12) of the delivered body.' })
  schema!: Record<string, unknown>;
}

const EXAMPLE = {
  id: 'evt_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  timestamp: '2026-01-31T09:30:00.000Z',
  organization_id: 'org_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
};

/** Returns the description of an event type, including the envelope of its deliveries. */
export function describeEventType(type: EventType): EventTypeRecord {
  const { name, family, description, isEmitted, data, example } = type;
  const body = z.strictObject({
    id: z.string(),
    event: z.literal(name),
    timestamp,
    organization_id: z.string(),
    data,
    signature: z
      .string()
      .describe('`sha256=` followed by the hex HMAC-SHA256 of the body without this field. The key is the secret of the webhook.'),
  });
  const { id, timestamp: at, organization_id } = EXAMPLE;
  return {
    name,
    family,
    description,
    requires: readPermission(type),
    isEmitted,
    example: { id, event: name, timestamp: at, organization_id, data: example, signature: `sha256=${'0'.repeat(64)}` },
    schema: jsonSchemaOf(body),
  };
}
