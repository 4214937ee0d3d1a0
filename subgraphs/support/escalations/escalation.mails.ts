import type { EntityManager, Orm } from '../../../kernel/database.ts';
import type { Jobs } from '../../../kernel/jobs.ts';
import type { Mail, Mailer } from '../../../kernel/mail.ts';
import { organizationEm } from '../../../kernel/organization.filter.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { Escalation } from './escalation.entity.ts';

const QUEUE = 'support.escalation-mail';
const RETRIES = 10;

export interface EscalationMailsDeps {
  orm: Orm;
  jobs: Jobs;
  mailer: Mailer;
  /** Public origin of the platform, for links. */
  origin: string;
}

interface EscalationMail {
  organizationId: string;
  escalationId: string;
  to: string;
}

/** Tells people by mail that a ticket was escalated, when and only when that commits: each a job of their own. */
export class EscalationMails {
  constructor(private readonly deps: EscalationMailsDeps) {
    deps.jobs.define<EscalationMail>(QUEUE, (mail) => this.#send(mail), {
      retryLimit: RETRIES,
      retryDelaySeconds: 5,
      retryDelayMaxSeconds: 3600,
    });
  }

  async enqueue(tx: EntityManager, { id, organizationId, notify }: Escalation): Promise<void> {
    for (const to of new Set(notify)) {
      await this.deps.jobs.enqueue(tx, QUEUE, { organizationId, escalationId: id, to } satisfies EscalationMail);
    }
  }

  async #send({ organizationId, escalationId, to }: EscalationMail): Promise<void> {
    const em = organizationEm(this.deps.orm, organizationId);
    const escalation = await em.findOneOrFail(Escalation, { id: escalationId });
    const ticket = await em.findOneOrFail(Ticket, { id: escalation.ticketId });
    await this.deps.mailer.send(mailTo(to, ticket, escalation, this.deps.origin));
  }
}

function mailTo(to: string, { id, number, title, status, priority }: Ticket, { level, reason }: Escalation, origin: string): Mail {
  const lines = [
    `${number} was escalated to level ${level}: ${reason}`,
    `Title: ${title}\nStatus: ${status}\nPriority: ${priority}`,
    `${origin}/console/tickets/${id}`,
  ];
  return { to, subject: `[${number}] Escalated to level ${level}: ${title}`, text: `${lines.join('\n\n')}\n` };
}
