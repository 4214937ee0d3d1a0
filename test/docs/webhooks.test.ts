import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { receiver } from '../events/receiver.ts';
import { subscribe } from '../events/webhooks.setup.ts';
import { eventually, rig } from '../rig.ts';
import { RunningProcess } from '../support/process.ts';
import type { Json, Tenant } from '../tenant.ts';

const text = readFileSync('docs/guide/webhooks.md', 'utf8');
/** The two TypeScript examples of the page: with a library and without. */
const [withLibrary = '', byHand = ''] = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

let tenant: Tenant;
beforeAll(async () => {
  const platform = await rig();
  tenant = await platform.organization();
});

/** Writes the code block to a file in a temporary folder with the installed packages, as a reader would. */
function pasted(block: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pasted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'receiver.ts'), block);
  return join(folder, 'receiver.ts');
}

const sent = async (id: string): Promise<Json> => (await tenant.rest('POST', `/webhooks/${id}/test`)).body.data;

function signed(body: string, at: number, secret = SECRET): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const mac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`evt_1.${timestamp}.${body}`)
    .digest('base64');
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` };
}

test('the documented webhook receiver handles a delivery once and returns 400 to forged, changed or old deliveries', async () => {
  // other tests may have moved the platform's clock, so the process gets the same clock offset
  const { clock } = await rig();
  const ahead = `data:text/javascript,const now = Date.now; Date.now = () => now() + ${clock.offsetMs}`;
  const started = new RunningProcess(['--import', ahead, pasted(withLibrary)], { WEBHOOK_SECRET: SECRET, PORT: '0' });
  const port = await eventually(() => /port: (\d+)/.exec(started.stdout)?.[1]);
  const url = `http://127.0.0.1:${port}/hook`;

  const { id } = await subscribe(tenant, { url, events: ['ticket.*'], secret: SECRET });
  const { event_id, response_status } = await sent(id);
  expect(response_status).toBe(204);
  await eventually(() => started.stdout.includes(`webhook.test ${event_id}`));

  const body = '{"id":"evt_1","event":"ticket.created","data":{}}';
  const post = async (headers: Record<string, string>, of = body): Promise<number> =>
    (await fetch(url, { method: 'POST', headers, body: of })).status;
  const now = clock.now().getTime();
  expect([await post(signed(body, now)), await post(signed(body, now))]).toEqual([204, 204]);
  await eventually(() => started.stdout.includes('ticket.created evt_1'));
  expect(await post(signed(body, now, 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'))).toBe(400);
  expect(await post(signed(body, now), body.replace('created', 'updated'))).toBe(400);
  expect(await post(signed(body, now - 600_000))).toBe(400);
  expect(await post({})).toBe(400);
  expect(started.stdout.match(/evt_1/g)).toHaveLength(1);
});

test('the documented manual verification accepts a real delivery and rejects forged, changed or old deliveries', async () => {
  const { verifyHeaders, verifyBody } = (await import(/* @vite-ignore */ pathToFileURL(pasted(byHand)).href)) as Record<
    string,
    (...args: unknown[]) => boolean
  >;
  for (const secret of [SECRET, 'a secret of the receiver itself']) {
    const hook = await receiver();
    const { id } = await subscribe(tenant, { url: hook.url, events: ['ticket.*'], secret });
    await sent(id);
    const { text: body, headers } = hook.arrivals[0] as Json;
    const { clock } = await rig();
    const ahead = clock.now().getTime() - Date.now();
    const isSigned = (of: string, by: string, shiftMs = 0): boolean | undefined => {
      const now = Date.now;
      Date.now = () => now() + ahead + shiftMs;
      try {
        return verifyHeaders?.(of, headers, by);
      } finally {
        Date.now = now;
      }
    };
    const altered = body.replace('webhook.test', 'webhook.tess');
    expect([isSigned(body, secret), verifyBody?.(body, secret)]).toEqual([true, true]);
    expect([isSigned(altered, secret), verifyBody?.(altered, secret)]).toEqual([false, false]);
    expect([isSigned(body, 'another secret, too'), verifyBody?.(body, 'another secret, too')]).toEqual([false, false]);
    expect([isSigned(body, secret, 400_000), isSigned(body, secret, -400_000)]).toEqual([false, false]);
    expect([verifyHeaders?.(body, {}, secret), verifyBody?.('{}', secret)]).toEqual([false, false]);

    const { body: rotated } = await tenant.rest('POST', `/webhooks/${id}/rotate-secret`);
    await sent(id);
    const during = hook.arrivals[1] as Json;
    Object.assign(headers, during.headers);
    expect([isSigned(during.text, secret), isSigned(during.text, rotated.data.secret)]).toEqual([true, true]);
    expect([verifyBody?.(during.text, secret), verifyBody?.(during.text, rotated.data.secret)]).toEqual([false, true]);
  }
});
