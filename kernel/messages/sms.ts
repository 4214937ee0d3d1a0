import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../log/log.ts';
import { newId } from '../records/ids.ts';
import { MessageRejected } from './rejected.ts';

export interface Sms {
  /** Phone number of the recipient in E.164 format, such as `+12125550100`. */
  to: string;
  text: string;
}

/** Sends text messages through a provider or a simulation. */
export interface SmsSender {
  /** True if messages are not really delivered. */
  readonly isSimulated?: boolean;
  /**
   * Sends a text message.
   * @throws SmsRejected if a retry cannot help; another Error if a retry may succeed
   */
  send(sms: Sms): Promise<void>;
  close(): Promise<void>;
}

/**
 * Thrown if the provider refuses a message permanently: the number is invalid or unreachable. The error contains
 * neither the number nor the text.
 */
export class SmsRejected extends MessageRejected {
  constructor(reason: string) {
    super(`The SMS provider refused the message: ${reason}`);
    this.name = 'SmsRejected';
  }
}

/**
 * Phone numbers for which the simulation fails. They are Twilio's magic test numbers, so the simulation behaves like
 * Twilio's test credentials.
 */
export const SIMULATED_FAILURES: Readonly<Record<string, 'rejected' | 'unavailable'>> = {
  '+15005550001': 'rejected',
  '+15005550009': 'unavailable',
};

/**
 * Simulates the SMS provider if none is configured. It writes each message to a file, which says that the message was
 * not sent.
 */
export class SimulatedSms implements SmsSender {
  readonly isSimulated = true;

  constructor(
    private readonly folder: string,
    private readonly log: Logger,
  ) {}

  async send({ to, text }: Sms): Promise<void> {
    const failure = SIMULATED_FAILURES[to];
    if (failure === 'rejected') throw new SmsRejected('the simulated network has no such number');
    if (failure === 'unavailable') throw new Error('The simulated network is down for this number.');
    mkdirSync(this.folder, { recursive: true });
    const file = `${newId('sms')}.txt`;
    await writeFile(join(this.folder, file), `Simulated: this message was not sent.\nTo: ${to}\n\n${text}\n`, { mode: 0o600 });
    this.log.info({ file, simulated: true }, 'An SMS was simulated and not sent. Set SMS_ACCOUNT_SID to send SMS');
  }

  async close(): Promise<void> {}
}
