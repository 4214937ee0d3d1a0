import { z } from 'zod';
import type { Orm } from '../../../kernel/database.ts';
import { type Reaction, timestamp } from '../../../kernel/events.ts';
import type { Mail } from '../../../kernel/mail.ts';
import { organizationEm } from '../../../kernel/organization.filter.ts';
import { claim } from '../../../kernel/outbox.ts';
import { User } from '../users/user.entity.ts';
import { UserRole, UserStatus } from '../users/user.states.ts';
import type { MailQueue } from './mail.queue.ts';

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

const NAME = 'identity.webhook-disabled';

/** Who runs an organization is told by mail that the platform stopped delivering to one of its webhooks: its active owners and administrators, once. */
export const webhookDisabled = ({ orm, mails, origin }: { orm: Orm; mails: MailQueue; origin: string }): Reaction => ({
  name: NAME,
  on: 'webhook.disabled',
  async handle(event) {
    const { webhook } = disabled.parse(JSON.parse(event.payload)).data;
    await organizationEm(orm, event.organizationId).transactional(async (tx) => {
      if (!(await claim(tx, event.id, NAME))) return;

      const roles = [UserRole.OWNER, UserRole.ADMIN];
      const recipients = await tx.find(User, { role: { $in: roles }, status: UserStatus.ACTIVE }, { orderBy: { id: 'asc' } });
      for (const recipient of recipients) await mails.enqueue(tx, mailTo(recipient, webhook, origin));
    });
  },
});

function mailTo({ email, name }: User, webhook: DisabledWebhook, origin: string): Mail {
  const lines = [
    `Hello ${name},`,
    `we no longer deliver events to your webhook ${webhook.id}, at ${withoutQuery(webhook.url)}, since ${webhook.disabled_at}: ${reasonOf(webhook)}`,
    `What waits for it is kept, and what comes meanwhile is recorded as skipped. When its receiver works, resume it: POST ${origin}/v1/webhooks/${webhook.id}/resume. What waits is delivered then; a replay brings what was skipped.`,
  ];
  return { to: email, subject: 'A webhook was disabled', text: `${lines.join('\n\n')}\n` };
}

const reasonOf = ({ disabled_reason: reason, failing_since: since }: DisabledWebhook): string =>
  reason === 'gone' ? 'its receiver answered 410, which asks for no more.' : `every attempt has failed since ${since ?? 'five days'}.`;

/** Receivers' keys often stand there. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
