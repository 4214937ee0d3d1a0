import { z } from 'zod';
import { type Reaction, timestamp } from '../../../kernel/events/events.ts';
import { type MailParts, mailAdministrators } from './administrators.reaction.ts';

/** The part of `webhook.disabled` that identity needs. Other fields of the event are ignored. */
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

/** Sends the administrators a mail when the platform has disabled a webhook. */
export const webhookDisabled = (parts: MailParts): Reaction =>
  mailAdministrators(parts, { name: 'identity.webhook-disabled', on: 'webhook.disabled', shape: disabled }, ({ data: { webhook } }) => ({
    subject: 'A webhook was disabled',
    paragraphs: [
      `since ${webhook.disabled_at} we no longer deliver events to your webhook ${webhook.id} at ${withoutQuery(webhook.url)}: ${reasonOf(webhook)}`,
      `Deliveries that were already queued are kept; later events are recorded as skipped. When the receiver works again, resume the webhook: POST ${parts.origin}/v1/webhooks/${webhook.id}/resume. Queued deliveries are sent then. Use a replay to deliver the skipped events.`,
    ],
  }));

const reasonOf = ({ disabled_reason: reason, failing_since: since }: DisabledWebhook): string =>
  reason === 'gone'
    ? 'its receiver responded with 410 Gone, which means that it wants no more events.'
    : `every attempt has failed ${since ? `since ${since}` : 'for five days'}.`;

/** Removes the query string of the webhook's URL, because it often contains secrets of the receiver. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
