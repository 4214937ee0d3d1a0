import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../kernel/log/log.ts';
import { SimulatedSms } from '../../kernel/messages/sms.ts';
import { TwilioSms } from '../../kernel/messages/sms-twilio.ts';

const SMS = { to: '+12125550100', text: '492039 is your code' };
const OPTIONS = { accountSid: 'AC0123456789abcdef0123456789abcdef', authToken: 'twilio-token', from: '+15005550006' };

interface Received {
  path: string | undefined;
  method: string | undefined;
  authorization: string | undefined;
  type: string | undefined;
  body: URLSearchParams;
}

describe('SMS by Twilio', () => {
  const received: Received[] = [];
  let reply: (response: ServerResponse) => void;
  const server = createServer((request, response) => void receive(request, response));
  beforeEach(async () => {
    received.length = 0;
    reply = (response) => json(response, 201, { sid: 'SM1', status: 'queued' });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { url, method, headers } = request;
    received.push({
      path: url,
      method,
      authorization: headers.authorization,
      type: headers['content-type'],
      body: new URLSearchParams(text),
    });
    reply(response);
  }

  function sender(options: Partial<ConstructorParameters<typeof TwilioSms>[0]> = {}): TwilioSms {
    const made = new TwilioSms({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ...OPTIONS, ...options });
    onTestFinished(() => made.close());
    return made;
  }

  test('an SMS is sent as a form to the Messages resource of Twilio with Basic authentication', async () => {
    await sender().send(SMS);
    expect(received).toMatchObject([
      {
        path: `/2010-04-01/Accounts/${OPTIONS.accountSid}/Messages.json`,
        method: 'POST',
        authorization: `Basic ${Buffer.from(`${OPTIONS.accountSid}:${OPTIONS.authToken}`).toString('base64')}`,
        type: 'application/x-www-form-urlencoded',
      },
    ]);
    expect(Object.fromEntries(received[0]?.body ?? [])).toEqual({ To: SMS.to, From: OPTIONS.from, Body: SMS.text });
  });

  test('a sender that is a Twilio messaging service is sent as MessagingServiceSid', async () => {
    await sender({ from: 'MG0123456789abcdef0123456789abcdef' }).send(SMS);
    expect(Object.fromEntries(received[0]?.body ?? [])).toMatchObject({ MessagingServiceSid: 'MG0123456789abcdef0123456789abcdef' });
  });

  test("an SMS to an invalid number throws SmsRejected with Twilio's error code and without the number", async () => {
    reply = (response) => json(response, 400, { code: 21211, message: `Invalid 'To' Phone Number: ${SMS.to}`, status: 400 });
    const error = await failure(sender());
    expect(error).toMatchObject({ name: 'SmsRejected', message: expect.stringContaining('status 400, error 21211') });
    expect(String(error.stack)).not.toContain(SMS.to);
  });

  test.each([
    [401, { code: 20003, message: 'Authenticate' }],
    [429, { code: 20429, message: 'Too Many Requests' }],
    [500, 'not JSON'],
    [503, {}],
    [302, {}],
  ])('an SMS with the Twilio response %i throws a retryable error', async (status, body) => {
    reply = (response) => json(response, status, body);
    const error = await failure(sender());
    expect(error.name).toBe('Error');
    expect(error.message).toContain(`status ${status}`);
  });

  test('an SMS throws a retryable error if Twilio does not respond in time or closes the connection', async () => {
    reply = () => undefined;
    expect(await failure(sender({ timeoutMs: 50 }))).toMatchObject({ name: 'NoResponse', message: 'no response within 0.05 s' });
    reply = (response) => void response.destroy();
    expect((await failure(sender())).name).not.toBe('SmsRejected');
  });

  test('an endless Twilio response is not read to the end and throws a retryable error', async () => {
    reply = (response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('x'.repeat(1024 * 1024));
    };
    expect((await failure(sender())).name).not.toBe('SmsRejected');
  });
});

describe('simulated SMS', () => {
  function simulated() {
    const folder = mkdtempSync(join(tmpdir(), 'sms-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const logged: string[] = [];
    const log = createLogger({ level: 'info', destination: { write: (line) => void logged.push(line) } });
    return {
      sms: new SimulatedSms(folder, log),
      logged,
      files: () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
    };
  }

  test('a simulated SMS is written to a file, and is logged without its number and text', async () => {
    const { sms, logged, files } = simulated();
    await sms.send(SMS);
    expect(files()).toEqual([`Simulated: this message was not sent.\nTo: ${SMS.to}\n\n${SMS.text}\n`]);
    expect(logged.join()).toMatch(/"simulated":true.*was simulated and not sent/);
    expect(logged.join()).not.toMatch(/492039|2125550100/);
  });

  test('a simulated SMS to +1 500 555 0001 fails permanently, and to +1 500 555 0009 temporarily', async () => {
    const { sms, files } = simulated();
    await expect(sms.send({ ...SMS, to: '+15005550001' })).rejects.toMatchObject({ name: 'SmsRejected' });
    await expect(sms.send({ ...SMS, to: '+15005550009' })).rejects.toMatchObject({ name: 'Error' });
    expect(files()).toEqual([]);
  });
});

const failure = (sender: TwilioSms): Promise<Error> =>
  sender.send(SMS).then(
    () => new Error('It was sent.', { cause: 'sent' }),
    (error: Error) => error,
  );

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
