import { z } from 'zod';
import { HttpClient } from '../outbound/http.client.ts';
import { type Sms, SmsRejected, type SmsSender } from './sms.ts';

export interface TwilioOptions {
  /** URL of the API: `https://api.twilio.com` or a compatible API. */
  url: string;
  accountSid: string;
  authToken: string;
  /** The sender: a phone number, or `MG…` for a messaging service. */
  from: string;
  timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/** Schema of Twilio's error body. Only the code is read, because the message may contain the phone number. */
const twilioError = z.object({ code: z.number() });

/** Sends text messages through the `Messages` resource of Twilio (API version 2010-04-01). */
export class TwilioSms implements SmsSender {
  readonly #url: string;
  readonly #authorization: string;
  readonly #from: readonly [string, string];
  readonly #timeoutMs: number;
  readonly #client = new HttpClient();

  constructor({ url, accountSid, authToken, from, timeoutMs = TIMEOUT_MS }: TwilioOptions) {
    this.#url = `${url.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`;
    this.#authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
    this.#from = from.startsWith('MG') ? ['MessagingServiceSid', from] : ['From', from];
    this.#timeoutMs = timeoutMs;
  }

  async send({ to, text }: Sms): Promise<void> {
    const answer = await this.#client.send({
      method: 'POST',
      url: this.#url,
      timeoutMs: this.#timeoutMs,
      headers: {
        accept: 'application/json',
        authorization: this.#authorization,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams([['To', to], [...this.#from], ['Body', text]]).toString(),
    });
    if (answer.outcome === 'done') return;
    const { data } = answer.json(twilioError);
    const problem = `status ${answer.status}${data ? `, error ${data.code}` : ''}`;
    if (answer.outcome === 'refused') throw new SmsRejected(problem);
    throw new Error(`The SMS provider did not accept the message: ${problem}`);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
