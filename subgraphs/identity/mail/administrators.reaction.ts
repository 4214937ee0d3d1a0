import type { z } from 'zod';
import type { Orm } from '../../../kernel/database/database.ts';
import type { Reaction } from '../../../kernel/events/events.ts';
import { claimOnce } from '../../../kernel/events/outbox.ts';
import { mailTo } from '../../../kernel/messages/mail.document.ts';
import type { MailQueue } from '../../../kernel/messages/sealed.messages.ts';
import { organizationEm } from '../../../kernel/records/organization.filter.ts';
import { UserRole, UserStatus } from '../user.states.ts';
import { User } from '../users/user.entity.ts';

export interface MailParts {
  orm: Orm;
  mails: MailQueue;
  /** Public origin of the platform, for links. */
  origin: string;
}

/** What whoever runs an organization is told of an event: a subject and paragraphs, after the greeting. */
export interface Letter {
  subject: string;
  paragraphs: readonly string[];
}

/** A reaction that tells of an event by mail who runs the organization: its active owners and administrators, each once. */
export function tellAdministrators<Shape extends z.ZodType>(
  { orm, mails }: Pick<MailParts, 'orm' | 'mails'>,
  /** `shape` is what is read of the event's envelope. */
  { name, on, shape }: { name: string; on: string; shape: Shape },
  letterOf: (event: z.infer<Shape>) => Letter,
): Reaction {
  return {
    name,
    on,
    async handle(event) {
      const letter = letterOf(shape.parse(JSON.parse(event.payload)));
      await organizationEm(orm, event.organizationId).transactional(async (tx) => {
        if (!(await claimOnce(tx, event.id, name))) return;

        const roles = [UserRole.OWNER, UserRole.ADMIN];
        const recipients = await tx.find(User, { role: { $in: roles }, status: UserStatus.ACTIVE }, { orderBy: { id: 'asc' } });
        for (const recipient of recipients) {
          const { organizationId } = event;
          await mails.enqueue(tx, mailTo(recipient, letter.subject, letter), { organizationId });
        }
      });
    },
  };
}
