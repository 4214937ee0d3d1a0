import { Agent, request } from 'undici';
import { z } from 'zod';
import { type Sms, SmsRejected, type SmsSender } from './sms.ts';

export interface TwilioOptions {
  /** `https://api.twilio.com`, or who speaks the same. */
  url: string;
  accountSid: string;
  authToken: string;
  /** The sender: a number, or `MG…` for a messaging service. */
  from: string;
  timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;
/** A mistake of ours or a limit: another try may fare better. */
const RETRIED_STATUSES = [401, 403, 404, 408, 409, 425, 429];

/** Twilio's error body. Its message may hold the number, so only its code is read. */
const twilioError = z.object({ code: z.number() });

/** Sends by Twilio's Messages resource (API 2010-04-01). */
export class TwilioSms implements SmsSender {
  readonly #url: string;
  readonly #authorization: string;
  readonly #from: readonly [string, string];
  readonly #timeoutMs: number;
  readonly #agent = new Agent({ maxResponseSize: MAX_ANSWER_BYTES });

  constructor({ url, accountSid, authToken, from, timeoutMs = TIMEOUT_MS }: TwilioOptions) {
    this.#url = `${url.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`;
    this.#authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
    this.#from = from.startsWith('MG') ? ['MessagingServiceSid', from] : ['From', from];
    this.#timeoutMs = timeoutMs;
  }

  async send({ to, text }: Sms): Promise<void> {
    const { statusCode, body } = await request(this.#url, {
      method: 'POST',
      dispatcher: this.#agent,
      signal: AbortSignal.timeout(this.#timeoutMs),
      headers: {
        accept: 'application/json',
        authorization: this.#authorization,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams([['To', to], [...this.#from], ['Body', text]]).toString(),
    });
    const answer = await body.text();
    if (statusCode >= 200 && statusCode < 300) return;
    const problem = `status ${statusCode}${codeIn(answer)}`;
    if (statusCode < 400 || statusCode >= 500 || RETRIED_STATUSES.includes(statusCode))
      throw new Error(`The SMS provider did not take the message: ${problem}`);
    throw new SmsRejected(problem);
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }
}

function codeIn(answer: string): string {
  try {
    return `, error ${twilioError.parse(JSON.parse(answer)).code}`;
  } catch {
    return '';
  }
}
