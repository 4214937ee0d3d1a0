import type { EntityManager } from '../database/database.ts';
import type { IsSuspended } from '../domain.ts';
import type { Jobs, QueueOptions } from '../jobs/jobs.ts';
import type { Logger } from '../log/log.ts';
import type { Mail, Mailer } from './mail.ts';
import { MessageRejected } from './rejected.ts';
import type { Sms, SmsSender } from './sms.ts';

/** What came of an attempt. `problem` is for whoever asked; the details of an outage are the operator's, in the log. */
export type Attempt = { isSimulated: boolean; problem?: undefined } | { problem: string; isFinal: boolean; error: unknown };

export interface MessageQueueParts<J> {
  jobs: Jobs;
  log: Logger;
  mailer: Mailer;
  sms: SmsSender;
  /** Of the queue: `support.notify`. */
  name: string;
  retries: QueueOptions;
  /** Messages of an organization for which this is true wait. */
  isSuspended?: IsSuspended | undefined;
  /** What the log calls it. */
  idOf(job: J): string;
  /** What a job sends now; undefined where nothing is to be sent any more. @throws MessageRejected */
  messageOf(job: J): Promise<Mail | Sms | undefined>;
  /** Keeps what came of an attempt, and says whether it was the last. */
  recordAttempt?(job: J, attempt: Attempt): Promise<boolean>;
}

/**
 * Messages to people that leave when, and only when, a transaction commits: a job for each, tried again until the message is taken or
 * rejected for good. At least once: where a process dies before it noted that it sent, it is sent again, by mail under the same Message-ID.
 */
export class MessageQueue<J extends object> {
  constructor(private readonly parts: MessageQueueParts<J>) {
    parts.jobs.define<J>(parts.name, (job) => this.#send(job), { ...parts.retries, waits: parts.isSuspended });
  }

  enqueue(tx: EntityManager, job: J): Promise<void> {
    return this.parts.jobs.enqueue(tx, this.parts.name, job);
  }

  /** @throws what went wrong where it is to be tried again */
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
      return { problem: `The ${provider} could not be reached, or did not take it this time.`, isFinal: false, error };
    }
  }
}
