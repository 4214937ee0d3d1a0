import type { SecretBox } from '../access/secret-box.ts';
import type { Secrets } from '../access/secrets.ts';
import type { Clock } from '../clock.ts';
import type { EntityManager } from '../database/database.ts';
import { newId } from '../records/ids.ts';
import type { Mail } from './mail.ts';
import { MessageQueue, type MessageQueueParts } from './message-queue.ts';
import type { Sms } from './sms.ts';

interface SealedMessage {
  id: string;
  sealed: string;
  until?: string | undefined;
  /** The organization whose suspension delays the message. */
  organizationId?: string | undefined;
}

export interface SealedMessageOptions {
  /** Time after which the message is useless and is not sent any more. */
  until?: Date | undefined;
  /** Organization whose suspension delays the message. Default: the message never waits, for example because a login needs it. */
  organizationId?: string;
}

export interface SealedMessagesParts extends Omit<MessageQueueParts<SealedMessage>, 'idOf' | 'messageOf' | 'recordAttempt'> {
  kind: 'mail' | 'sms';
  secrets: Secrets;
  clock: Clock;
}

export type MailQueue = SealedMessages<Omit<Mail, 'attachments'>>;
export type SmsQueue = SealedMessages<Sms>;

/**
 * Sends messages that may contain secrets, such as login codes and links to set a password. The messages are encrypted
 * in the queue, and are not stored in any record.
 */
export class SealedMessages<M extends Omit<Mail, 'attachments'> | Sms> {
  readonly #queue: MessageQueue<SealedMessage>;
  readonly #box: SecretBox;

  constructor(private readonly parts: SealedMessagesParts) {
    this.#box = parts.secrets.box(parts.kind);
    this.#queue = new MessageQueue({ ...parts, idOf: ({ id }) => id, messageOf: async (job) => this.#open(job) });
  }

  async enqueue(tx: EntityManager, message: M, { until, organizationId }: SealedMessageOptions = {}): Promise<void> {
    const id = newId(this.parts.kind);
    await this.#queue.enqueue(tx, { id, sealed: this.#box.seal(JSON.stringify(message), id), until: until?.toISOString(), organizationId });
  }

  #open({ id, sealed, until }: SealedMessage): M | undefined {
    if (until && this.parts.clock.now() >= new Date(until)) return undefined;
    return JSON.parse(this.#box.open(sealed, id)) as M;
  }
}
