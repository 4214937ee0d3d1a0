import type { EntityManager } from '../database/database.ts';
import type { IsSuspended } from '../domain.ts';
import type { Jobs, QueueOptions } from '../jobs/jobs.ts';
import type { Logger } from '../log/log.ts';
import type { Mail, Mailer } from './mail.ts';
import { MessageRejected } from './rejected.ts';
import type { Sms, SmsSender } from './sms.ts';

/** The outcome of an attempt. `problem` is shown to the requester; details of an outage go only to the operator's log. */
export type Attempt = { isSimulated: boolean; problem?: undefined } | { problem: string; isFinal: boolean; error: unknown };

export interface MessageQueueParts<J> {
  jobs: Jobs;
  log: Logger;
  mailer: Mailer;
  sms: SmsSender;
  /** Name of the queue: `support.notify`. */
  name: string;
  retries: QueueOptions;
  /** While this returns true, messages of the organization wait. */
  isSuspended?: IsSuspended | undefined;
  /** The id of the message in log lines. */
  idOf(job: J): string;
  /**
   * Builds the message at the time of sending; undefined if nothing should be sent any more.
   * @throws MessageRejected
   */
  messageOf(job: J): Promise<Mail | Sms | undefined>;
  /** Stores the outcome of an attempt, and returns true if it was the last. */
  recordAttempt?(job: J, attempt: Attempt): Promise<boolean>;
}

/**
 * Messages to people that are sent if, and only if, a transaction commits. Each message is a job, which is retried until the message is
 * accepted or permanently rejected.
 * Delivery is at least once: if a process dies before it records the success, the message is sent again. A mail then has the same
 * Message-ID.
 */
export class MessageQueue<J extends object> {
  constructor(private readonly parts: MessageQueueParts<J>) {
    parts.jobs.define<J>(parts.name, (job) => this.#send(job), { ...parts.retries, waits: parts.isSuspended });
  }

  enqueue(tx: EntityManager, job: J): Promise<void> {
    return this.parts.jobs.enqueue(tx, this.parts.name, job);
  }

  /** @throws the error of the attempt if it must be retried */
  async #send(job: J): Promise<void> {
    const attempt = await this.#attempt(job);
    if (!attempt) return;
    const isLast = await this.parts.recordAttempt?.(job, attempt);
    if (attempt.problem === undefined) return;
    if (!(isLast ?? attempt.isFinal)) throw attempt.error;
    this.parts.log.warn({ err: attempt.error, message: this.parts.idOf(job) }, 'A message cannot be delivered and is dropped');
  }

  async #attempt(job: J): Promise<Attempt | undefined> {
    let provider: string | undefined;
    try {
      const message = await this.parts.messageOf(job);
      if (!message) return undefined;
      const { mailer, sms } = this.parts;
      if ('subject' in message) {
        provider = 'mail server';
        await mailer.send(message);
        return { isSimulated: mailer.isSimulated ?? false };
      }
      provider = 'SMS provider';
      await sms.send(message);
      return { isSimulated: sms.isSimulated ?? false };
    } catch (error) {
      if (error instanceof MessageRejected) return { problem: error.message, isFinal: true, error };
      if (!provider) throw error;
      return { problem: `The ${provider} could not be reached or did not accept the message. It will be retried.`, isFinal: false, error };
    }
  }
}
