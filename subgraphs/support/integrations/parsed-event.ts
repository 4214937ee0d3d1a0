import { z } from 'zod';

/** What integrations read of events of the support family; they may carry more, and may come to carry more. */
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
  }),
});

/** The payload of an event, parsed: what integrations read of it. */
export type ParsedEvent = z.infer<typeof envelope>;
export type ParsedTicket = NonNullable<ParsedEvent['data']['ticket']>;
export type ParsedComment = NonNullable<ParsedEvent['data']['comment']>;

/** Parses the payload of an event; undefined if it has a shape that integrations do not know. */
export const tryParseEvent = (payload: string): ParsedEvent | undefined => envelope.safeParse(JSON.parse(payload)).data;

/** Parses the payload of an event. @throws ZodError */
export const parseEvent = (payload: string): ParsedEvent => envelope.parse(JSON.parse(payload));

/** Whether only the desk may read it: whoever integrates says whether it goes out. */
export const isInternal = ({ data: { comment } }: ParsedEvent): boolean => comment !== undefined && comment.visibility !== 'customer';
