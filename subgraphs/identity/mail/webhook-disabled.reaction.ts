import { z } from 'zod';
import { type Reaction, timestamp } from '../../../kernel/events/events.ts';
import { type MailParts, mailAdministrators } from './administrators.reaction.ts';

/** What identity reads of `webhook.disabled`; the event may carry more, and may come to carry more. */
const disabled = z.object({
  data: z.object({
    webhook: z.object({
      id: z.string(),
      url: z.string(),
      disabled_at: timestamp,
      disabled_reason: z.string(),
      failing_since: timestamp.nullable(),
    }),
  }),
});
type DisabledWebhook = z.infer<typeof disabled>['data']['webhook'];

/** Tells that the platform stopped delivering to a webhook. */
export const webhookDisabled = (parts: MailParts): Reaction =>
  mailAdministrators(parts, { name: 'identity.webhook-disabled', on: 'webhook.disabled', shape: disabled }, ({ data: { webhook } }) => ({
    subject: 'A webhook was disabled',
    paragraphs: [
      `we no longer deliver events to your webhook ${webhook.id}, at ${withoutQuery(webhook.url)}, since ${webhook.disabled_at}: ${reasonOf(webhook)}`,
      `What waits for it is kept, and what comes meanwhile is recorded as skipped. When its receiver works, resume it: POST ${parts.origin}/v1/webhooks/${webhook.id}/resume. What waits is delivered then; a replay brings what was skipped.`,
    ],
  }));

const reasonOf = ({ disabled_reason: reason, failing_since: since }: DisabledWebhook): string =>
  reason === 'gone' ? 'its receiver answered 410, which asks for no more.' : `every attempt has failed since ${since ?? 'five days'}.`;

/** Receivers' keys often stand there. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
