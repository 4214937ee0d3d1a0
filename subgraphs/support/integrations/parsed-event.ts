import { z } from 'zod';

const alert = z.object({
  name: z.string(),
  description: z.string().nullable(),
  severity: z.string(),
  state: z.string(),
  service_id: z.string().nullable(),
  metric: z.string(),
  labels: z.array(z.string()),
  aggregation: z.string().nullable(),
  condition: z.string(),
  threshold: z.number().nullable(),
  lower_threshold: z.number().nullable(),
  window_seconds: z.number(),
});

const alertInstance = z.object({
  service_id: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  state: z.string(),
  reason: z.string(),
  value: z.number().nullable(),
  since: z.string(),
  is_repeated: z.boolean(),
});

const incident = z.object({
  number: z.string(),
  title: z.string(),
  status: z.string(),
  severity: z.string(),
  service_count: z.number(),
  started_at: z.string(),
});

/** The fields of support and monitoring events that integrations use. Events may have more fields. */
const envelope = z.object({
  id: z.string(),
  event: z.string(),
  timestamp: z.string(),
  data: z.object({
    ticket: z.looseObject({ id: z.string(), number: z.string(), title: z.string(), status: z.string(), priority: z.string() }).optional(),
    changes: z.record(z.string(), z.object({ from: z.unknown().optional(), to: z.unknown().optional() })).optional(),
    comment: z
      .object({
        id: z.string(),
        content: z.string(),
        type: z.string().nullish(),
        visibility: z.string(),
        author: z.object({ type: z.string(), name: z.string() }),
        attachments: z.array(z.object({ filename: z.string() })).optional(),
      })
      .optional(),
    sla: z.looseObject({}).optional(),
    alert: alert.optional(),
    instance: alertInstance.nullish(),
    incident: incident.optional(),
    update: z.object({ message: z.string().nullable() }).nullish(),
  }),
});

/** The fields of an event that integrations use. */
export type ParsedEvent = z.infer<typeof envelope>;
export type ParsedTicket = NonNullable<ParsedEvent['data']['ticket']>;
export type ParsedAlert = z.infer<typeof alert>;
export type ParsedAlertInstance = z.infer<typeof alertInstance>;
export type ParsedIncident = z.infer<typeof incident>;
export type ParsedComment = NonNullable<ParsedEvent['data']['comment']>;

/** Parses an event; returns undefined if it does not have the expected fields. */
export const tryParseEvent = (payload: string): ParsedEvent | undefined => envelope.safeParse(JSON.parse(payload)).data;

/**
 * Parses the JSON text of an event.
 * @throws ZodError
 */
export const parseEvent = (payload: string): ParsedEvent => envelope.parse(JSON.parse(payload));

/**
 * Returns whether the event is about a comment that only support staff may read. Each provider decides whether to send
 * such events.
 */
export const isInternal = ({ data: { comment } }: ParsedEvent): boolean => comment !== undefined && comment.visibility !== 'customer';
