import { execFileSync, spawnSync } from 'node:child_process';
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
/** The two TypeScript examples in docs/guide/webhooks.md. The first uses a library, the second does not. */
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

/**
 * The documented verification functions in one programming language. `headers` verifies the signature in the headers,
 * and `body` verifies the signature in the last property of the body.
 */
interface Verification {
  headers(body: string, headers: Record<string, string>, secret: string, now: number): boolean;
  body(body: string, secret: string): boolean;
}

async function inTypeScript(): Promise<Verification> {
  const { verifyHeaders, verifyBody } = (await import(/* @vite-ignore */ pathToFileURL(pasted(byHand)).href)) as Record<
    string,
    (...args: unknown[]) => boolean
  >;
  return {
    headers(body, headers, secret, now) {
      const original = Date.now;
      Date.now = () => now;
      try {
        return verifyHeaders?.(body, headers, secret) ?? false;
      } finally {
        Date.now = original;
      }
    },
    body: (body, secret) => verifyBody?.(body, secret) ?? false,
  };
}

/** True if the tests of the Python example must run. Python may be missing on a developer's machine, but must be installed in CI. */
const hasPython = Boolean(process.env.CI) || spawnSync('python3', ['--version']).status === 0;

async function inPython(): Promise<Verification> {
  const [, block = ''] = /```python\n([\s\S]*?)```/.exec(text) ?? [];
  const call = 'import json, sys\nvalues = json.load(sys.stdin)\ntime.time = lambda: values["now"]\n';
  const run = (expression: string, values: Json): boolean => {
    const printed = execFileSync('python3', ['-c', `${block}\n${call}print(${expression})`], {
      input: JSON.stringify(values),
      encoding: 'utf8',
    });
    return printed.trim() === 'True';
  };
  return {
    headers: (body, headers, secret, now) =>
      run('verify_headers(values["body"].encode(), values["headers"], values["secret"])', { body, headers, secret, now: now / 1000 }),
    body: (body, secret) => run('verify_body(values["body"].encode(), values["secret"])', { body, secret, now: 0 }),
  };
}

test.each([['TypeScript', inTypeScript] as const, ...(hasPython ? [['Python', inPython] as const] : [])])(
  'the documented verification in %s accepts a real delivery and rejects forged, altered and old deliveries',
  async (_, language) => {
    const verify = await language();
    const { clock } = await rig();
    for (const secret of [SECRET, 'a secret of the receiver itself']) {
      const hook = await receiver();
      const { id } = await subscribe(tenant, { url: hook.url, events: ['ticket.*'], secret });
      await sent(id);
      const { text: body, headers } = hook.arrivals[0] as Json;
      const now = clock.now().getTime();
      const altered = body.replace('webhook.test', 'webhook.tess');
      const isValid = (of: string, by: string): boolean[] => [verify.headers(of, headers, by, now), verify.body(of, by)];
      expect(isValid(body, secret)).toEqual([true, true]);
      expect(isValid(altered, secret)).toEqual([false, false]);
      expect(isValid(body, 'another secret, too')).toEqual([false, false]);
      expect([-400_000, 400_000].map((ms) => verify.headers(body, headers, secret, now + ms))).toEqual([false, false]);
      expect([verify.headers(body, {}, secret, now), verify.body('{}', secret)]).toEqual([false, false]);

      const { body: rotated } = await tenant.rest('POST', `/webhooks/${id}/rotate-secret`);
      await sent(id);
      const during = hook.arrivals[1] as Json;
      const secrets = [secret, rotated.data.secret];
      expect(secrets.map((one) => verify.headers(during.text, during.headers, one, now))).toEqual([true, true]);
      expect(secrets.map((one) => verify.body(during.text, one))).toEqual([false, true]);
    }
  },
);
