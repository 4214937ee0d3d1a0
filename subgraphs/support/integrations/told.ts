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

/** An event as integrations are told of it. */
export type Told = z.infer<typeof envelope>;
export type ToldTicket = NonNullable<Told['data']['ticket']>;
export type ToldComment = NonNullable<Told['data']['comment']>;

/** The same of an event that may be of a shape that integrations do not know: undefined then. */
export const toldIfKnown = (payload: string): Told | undefined => envelope.safeParse(JSON.parse(payload)).data;

/** @throws ZodError */
export const toldBy = (payload: string): Told => envelope.parse(JSON.parse(payload));

/** Whether only the desk may read it: whoever integrates says whether it goes out. */
export const isInternal = ({ data: { comment } }: Told): boolean => comment !== undefined && comment.visibility !== 'customer';
