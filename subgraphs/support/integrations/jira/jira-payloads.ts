import { z } from 'zod';
import { textOfAdf } from './adf.ts';

const issue = z.object({
  id: z.coerce.string(),
  key: z.string().max(300),
  fields: z.object({ status: z.object({ name: z.string().max(300) }).optional() }).optional(),
});
const comment = z.object({
  id: z.coerce.string(),
  /** Text of the comment: wiki markup in webhooks, a document in Atlassian Document Format in API responses. */
  body: z.unknown().optional(),
  author: z.object({ accountId: z.string().optional(), displayName: z.string().optional() }).optional(),
  visibility: z.unknown().optional(),
  jsdPublic: z.boolean().optional(),
});

/** The fields of Jira's webhook payloads that the platform uses (developer.atlassian.com, Webhooks). */
export const jiraPayload = z.discriminatedUnion('webhookEvent', [
  z.object({ webhookEvent: z.enum(['comment_created', 'comment_updated']), issue, comment }),
  z.object({ webhookEvent: z.enum(['jira:issue_updated', 'jira:issue_deleted']), issue }),
]);
export type JiraPayload = z.infer<typeof jiraPayload>;
export type IssuePayload = z.infer<typeof issue>;
export type CommentPayload = z.infer<typeof comment>;

export const contentOf = ({ body }: CommentPayload): string => (typeof body === 'string' ? body.trim() : textOfAdf(body));

/** Returns whether a comment is restricted to a role or group, or hidden from service desk customers. */
export const isRestricted = ({ visibility, jsdPublic }: CommentPayload): boolean =>
  jsdPublic === false || (typeof visibility === 'object' && visibility !== null);
