import { SecretBox } from '../access/secret-box.ts';
import type { Clock } from '../clock.ts';
import type { EntityManager } from '../database/database.ts';
import { newId } from '../records/ids.ts';
import type { Mail } from './mail.ts';
import { MessageQueue, type MessageQueueParts } from './message.queue.ts';
import type { Sms } from './sms.ts';

interface SealedMessage {
  id: string;
  sealed: string;
  until?: string | undefined;
}

export interface SealedMessagesParts extends Omit<MessageQueueParts<SealedMessage>, 'idOf' | 'messageOf' | 'note'> {
  kind: 'mail' | 'sms';
  secretKey: string;
  clock: Clock;
}

export type MailQueue = SealedMessages<Omit<Mail, 'attachments'>>;
export type SmsQueue = SealedMessages<Sms>;

/** Messages that hold codes and links that open accounts: sealed while they wait, and on no record. */
export class SealedMessages<M extends Omit<Mail, 'attachments'> | Sms> {
  readonly #queue: MessageQueue<SealedMessage>;
  readonly #box: SecretBox;

  constructor(private readonly parts: SealedMessagesParts) {
    this.#box = new SecretBox(parts.secretKey, parts.kind);
    this.#queue = new MessageQueue({ ...parts, idOf: ({ id }) => id, messageOf: async (job) => this.#open(job) });
  }

  /** Not sent any more after `until`, when it is of no use. */
  async enqueue(tx: EntityManager, message: M, until?: Date): Promise<void> {
    const id = newId(this.parts.kind);
    await this.#queue.enqueue(tx, { id, sealed: this.#box.seal(JSON.stringify(message), id), until: until?.toISOString() });
  }

  #open({ id, sealed, until }: SealedMessage): M | undefined {
    if (until && this.parts.clock.now() >= new Date(until)) return undefined;
    return JSON.parse(this.#box.open(sealed, id)) as M;
  }
}
