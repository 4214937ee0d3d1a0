import type { z } from 'zod';
import type { Orm } from '../../../kernel/database/database.ts';
import type { Reaction } from '../../../kernel/events/events.ts';
import { claimOnce } from '../../../kernel/events/outbox.ts';
import { mailTo } from '../../../kernel/messages/mail-document.ts';
import type { MailQueue } from '../../../kernel/messages/sealed-messages.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { UserRole, UserStatus } from '../user.states.ts';
import { User } from '../users/user.entity.ts';

export interface MailParts {
  orm: Orm;
  mails: MailQueue;
  /** Public origin of the platform, for the links in mails. */
  origin: string;
}

/** Subject and paragraphs (after the greeting) of a mail to the administrators of an organization. */
export interface MailContent {
  subject: string;
  paragraphs: readonly string[];
}

/** Creates a reaction that sends one mail per event to each active owner and administrator of an organization. */
export function mailAdministrators<Shape extends z.ZodType>(
  { orm, mails }: Pick<MailParts, 'orm' | 'mails'>,
  /** `shape` validates the part of the event's envelope that `contentOf` reads. */
  { name, on, shape }: { name: string; on: string; shape: Shape },
  contentOf: (event: z.infer<Shape>) => MailContent,
): Reaction {
  return {
    name,
    on,
    async handle(event) {
      const content = contentOf(shape.parse(JSON.parse(event.payload)));
      await organizationEm(orm, event.organizationId).transactional(async (tx) => {
        if (!(await claimOnce(tx, event.id, name))) return;

        const roles = [UserRole.OWNER, UserRole.ADMIN];
        const recipients = await tx.find(User, { role: { $in: roles }, status: UserStatus.ACTIVE }, { orderBy: { id: 'asc' } });
        for (const recipient of recipients) {
          const { organizationId } = event;
          await mails.enqueue(tx, mailTo(recipient, content.subject, content), { organizationId });
        }
      });
    },
  };
}
