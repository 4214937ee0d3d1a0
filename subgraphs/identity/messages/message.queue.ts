import { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Jobs, QueueOptions } from '../../../kernel/jobs/jobs.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { type Mail, MailRejected } from '../../../kernel/messages/mail.ts';
import { type Sms, SmsRejected } from '../../../kernel/messages/sms.ts';
import { newId } from '../../../kernel/records/ids.ts';

export type MailQueue = MessageQueue<Mail>;
export type SmsQueue = MessageQueue<Sms>;

export interface MessageQueueParts<M> {
  kind: 'mail' | 'sms';
  /** Who delivers: a `Mailer` or an `SmsSender`. */
  sender: { send(message: M): Promise<void> };
  retries: QueueOptions;
  jobs: Jobs;
  secretKey: string;
  clock: Clock;
  log: Logger;
}

/** Messages that leave when, and only when, a transaction commits. They hold codes and links that open accounts: sealed while they wait. */
export class MessageQueue<M extends Mail | Sms> {
  readonly #queue: string;
  readonly #box: SecretBox;

  constructor(private readonly parts: MessageQueueParts<M>) {
    this.#queue = `identity.${parts.kind}`;
    this.#box = new SecretBox(parts.secretKey, parts.kind);
    parts.jobs.define<SealedMessage>(this.#queue, (job) => this.#send(job), parts.retries);
  }

  /** Not sent any more after `until`, when it is of no use. */
  async enqueue(tx: EntityManager, message: M, until?: Date): Promise<void> {
    const id = newId(this.parts.kind);
    const sealed = this.#box.seal(JSON.stringify(message), id);
    await this.parts.jobs.enqueue(tx, this.#queue, { id, sealed, until: until?.toISOString() } satisfies SealedMessage);
  }

  async #send({ id, sealed, until }: SealedMessage): Promise<void> {
    const { sender, clock, log } = this.parts;
    if (until && clock.now() >= new Date(until)) return;
    try {
      await sender.send(JSON.parse(this.#box.open(sealed, id)) as M);
    } catch (error) {
      if (!(error instanceof MailRejected || error instanceof SmsRejected)) throw error;
      log.warn({ err: error, message: id }, 'A message cannot be delivered and is dropped');
    }
  }
}

interface SealedMessage {
  id: string;
  sealed: string;
  until?: string | undefined;
}
