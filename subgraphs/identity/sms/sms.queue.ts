import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Jobs } from '../../../kernel/jobs.ts';
import type { Logger } from '../../../kernel/log.ts';
import type { SecretBox } from '../../../kernel/secret-box.ts';
import { type Sms, SmsRejected, type SmsSender } from '../../../kernel/sms.ts';

const QUEUE = 'identity.sms';
const RETRIES = 6;

export interface SmsQueueParts {
  jobs: Jobs;
  box: SecretBox;
  sender: SmsSender;
  clock: Clock;
  log: Logger;
}

/** Text messages that leave when, and only when, a transaction commits. They hold codes: sealed while they wait. */
export class SmsQueue {
  constructor(private readonly parts: SmsQueueParts) {
    parts.jobs.define<SealedSms>(QUEUE, (job) => this.#send(job), {
      retryLimit: RETRIES,
      retryDelaySeconds: 2,
      retryDelayMaxSeconds: 120,
    });
  }

  /** Not sent any more after `until`, when it is of no use. */
  async enqueue(tx: EntityManager, sms: Sms, until: Date): Promise<void> {
    const id = newId('sms');
    const sealed = this.parts.box.seal(JSON.stringify(sms), id);
    await this.parts.jobs.enqueue(tx, QUEUE, { id, sealed, until: until.toISOString() } satisfies SealedSms);
  }

  async #send({ id, sealed, until }: SealedSms): Promise<void> {
    const { box, sender, clock, log } = this.parts;
    if (clock.now() >= new Date(until)) return;
    try {
      await sender.send(JSON.parse(box.open(sealed, id)) as Sms);
    } catch (error) {
      if (!(error instanceof SmsRejected)) throw error;
      log.warn({ err: error, sms: id }, 'An SMS cannot be delivered and is dropped');
    }
  }
}

interface SealedSms {
  id: string;
  sealed: string;
  until: string;
}
