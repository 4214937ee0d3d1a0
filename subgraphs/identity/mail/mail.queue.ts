import type { EntityManager } from '../../../kernel/database.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Jobs } from '../../../kernel/jobs.ts';
import type { Mail, Mailer } from '../../../kernel/mail.ts';
import type { SecretBox } from '../../../kernel/secret-box.ts';

const QUEUE = 'identity.mail';
const RETRIES = 10;

/** Mails that leave when, and only when, a transaction commits. They hold links that open accounts: sealed while they wait. */
export class MailQueue {
  constructor(
    private readonly jobs: Jobs,
    private readonly box: SecretBox,
    mailer: Mailer,
  ) {
    jobs.define<SealedMail>(QUEUE, ({ id, sealed }) => mailer.send(JSON.parse(box.open(sealed, id)) as Mail), {
      retryLimit: RETRIES,
      retryDelaySeconds: 5,
      retryDelayMaxSeconds: 3600,
    });
  }

  async enqueue(tx: EntityManager, mail: Mail): Promise<void> {
    const id = newId('mail');
    await this.jobs.enqueue(tx, QUEUE, { id, sealed: this.box.seal(JSON.stringify(mail), id) } satisfies SealedMail);
  }
}

interface SealedMail {
  id: string;
  sealed: string;
}
