import type { EntityManager } from '../database/database.ts';
import type { IsSuspended } from '../domain.ts';
import type { JobOptions, Jobs } from '../jobs/jobs.ts';
import type { QueueOptions } from '../jobs/queue-settings.ts';
import type { Logger } from '../log/log.ts';
import type { Mail, Mailer } from './mail.ts';
import { MessageRejected } from './rejected.ts';
import type { Sms, SmsSender } from './sms.ts';

/**
 * The outcome of an attempt to send a message. `problem` is shown to the person who requested the message. Details of
 * an outage are written only to the log.
 */
export type Attempt = { isSimulated: boolean; problem?: undefined } | { problem: string; isFinal: boolean; error: unknown };

export interface MessageQueueParts<J> {
  jobs: Jobs;
  log: Logger;
  mailer: Mailer;
  /** Sends SMS. Absent if the queue sends only mails. */
  sms?: SmsSender;
  /** Name of the queue, such as `support.notify`. */
  name: string;
  retries: QueueOptions;
  /** Returns true if messages of the organization must wait because the organization is suspended. */
  isSuspended?: IsSuspended | undefined;
  /** Returns the id of the message for log lines. */
  idOf(job: J): string;
  /**
   * Builds the message immediately before it is sent. Returns undefined if the message should no longer be sent.
   * @throws MessageRejected if the message can never be delivered
   */
  messageOf(job: J): Promise<Mail | Sms | undefined>;
  /** Stores the outcome of an attempt. Returns true if there will be no further attempt. */
  recordAttempt?(job: J, attempt: Attempt): Promise<boolean>;
}

/**
 * Sends messages to people. A message is sent only if the transaction that enqueues it commits. Each message is a job,
 * which is retried until the message is accepted or permanently rejected, or until the retries are used up.
 * A message may be sent more than once, if a process dies before it records the success. A repeated mail has the same
 * Message-ID.
 */
export class MessageQueue<J extends object> {
  constructor(private readonly parts: MessageQueueParts<J>) {
    parts.jobs.define<J>(parts.name, (job) => this.#send(job), { ...parts.retries, waits: parts.isSuspended });
  }

  enqueue(tx: EntityManager, job: J, options: JobOptions = {}): Promise<void> {
    return this.parts.jobs.enqueue(tx, this.parts.name, job, options);
  }

  /** Enqueues several messages with one statement. */
  enqueueAll(tx: EntityManager, jobs: readonly J[]): Promise<void> {
    return this.parts.jobs.enqueueAll(tx, this.parts.name, jobs);
  }

  /**
   * Tries once to send the message of a job.
   * @throws the error of the attempt if the job must be retried
   */
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
      if (!sms) throw new Error(`The queue ${this.parts.name} sends no SMS.`);
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
