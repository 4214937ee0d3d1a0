import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { subscribe } from '../events/webhooks.setup.ts';
import { registered } from '../oauth.setup.ts';
import { eventually, rig } from '../rig.ts';
import { describeInChromium, launchChromium } from '../support/chromium.ts';
import { RunningProcess } from '../support/process.ts';
import { openTicket } from '../ticket.setup.ts';
import { PASSWORD, userOf } from '../users.setup.ts';

const run = promisify(execFile);

/** Copies an example into a temporary folder with the installed packages, where the example may write files. */
function copyOf(example: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'example-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join('examples', example), folder, { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  return folder;
}

describe('webhook receiver example', () => {
  const handledIn = ({ stdout }: RunningProcess): string[] => stdout.match(/handled .+/g) ?? [];

  test('the webhook receiver example handles an event once, even after a restart, and returns 400 to unsigned requests', async () => {
    const { clock, organization } = await rig();
    const tenant = await organization();
    const folder = copyOf('webhook-receiver');
    // other tests may have moved the platform's clock, so the process gets the same clock offset
    const ahead = `data:text/javascript,const now = Date.now; Date.now = () => now() + ${clock.offsetMs}`;
    const started = async (secret: string, port: string): Promise<[RunningProcess, string]> => {
      const environment = { WEBHOOK_SECRET: secret, PORT: port, DATABASE: join(folder, 'events.sqlite') };
      const receiver = new RunningProcess(['--import', ahead, join(folder, 'receiver.ts')], environment);
      return [receiver, await eventually(() => /port: (\d+)/.exec(receiver.stdout)?.[1])];
    };
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
    const [first, port] = await started(secret, '0');
    const url = `http://127.0.0.1:${port}/hook`;
    const { id } = await subscribe(tenant, { url, events: ['ticket.*'], secret });
    await openTicket(tenant);
    await eventually(() => handledIn(first).length === 1);
    expect(handledIn(first)[0]).toMatch(/^handled ticket\.created evt_/);
    expect((await fetch(url, { method: 'POST', body: '{"id":"evt_1"}' })).status).toBe(400);

    first.kill('SIGTERM');
    await first.exited;
    const [second] = await started(secret, port);
    const delivered = async () => (await tenant.rest('GET', `/webhooks/${id}/deliveries`)).body.data;
    const [{ id: delivery }] = await eventually(async () =>
      (await delivered()).filter(({ status }: { status: string }) => status === 'delivered'),
    );
    await tenant.rest('POST', `/webhooks/${id}/deliveries/${delivery}/redeliver`);
    await eventually(async () => (await delivered())[0].attempts.length === 2);
    await openTicket(tenant);
    // the redelivered event arrived before the new event and was not handled again
    await eventually(() => handledIn(second).length > 0);
    expect(handledIn(second)).toHaveLength(1);
    expect(handledIn(second)[0]).not.toBe(handledIn(first)[0]);
  });
});

test('the REST integration example compiles with its generated client and prints the expected lines', async () => {
  const { origin, organization } = await rig();
  const { apiKey } = await organization();
  const folder = copyOf('rest-client');
  const bin = (name: string): string => join(folder, 'node_modules/.bin', name);
  const document = resolve('schema/openapi.json');
  const options = ['--path', document, '--output', '.', '--name', 'api.ts', '--enum-style', 'union'];
  await run(bin('swagger-typescript-api'), ['generate', ...options], { cwd: folder });
  await run(bin('tsc'), ['-p', 'tsconfig.json'], { cwd: folder });
  const { stdout } = await run(process.execPath, ['integration.ts'], { cwd: folder, env: { ORIGIN: origin, KEY: apiKey } });
  expect(stdout.split('\n')).toEqual([
    'Business Fiber, 350 Fifth Avenue is operational.',
    'Opened TKT-1001.',
    'TKT-1001 open: Line is down',
    expect.stringMatching(/^The platform returned RESOURCE_NOT_FOUND\. The request id is req_\w+\.$/),
    '',
  ]);
});

describeInChromium('dashboard example in a browser', () => {
  const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

  /** Serves a folder over HTTP and resolves to its address. */
  async function served(folder: string): Promise<string> {
    const server = createServer(({ url = '' }, response) => {
      const path = new URL(url, 'http://127.0.0.1').pathname;
      const file = join(folder, path === '/' ? 'index.html' : path);
      if (!existsSync(file)) return response.writeHead(404).end();
      response.setHeader('content-type', TYPES[extname(file)] ?? 'text/plain').end(readFileSync(file));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  test('the dashboard example signs in a user, lists open tickets, and updates the list when a ticket is created or resolved', async () => {
    const { origin, organization } = await rig();
    const tenant = await organization();
    const user = await userOf(tenant, 'admin');
    await openTicket(tenant, { title: 'Modem is dark' });
    const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const address = await served(folder);
    const client = await registered(tenant, {
      is_confidential: false,
      redirect_uris: [address],
      grant_types: ['authorization_code', 'refresh_token'],
      scopes: ['support.read'],
    });
    vi.stubEnv('VITE_ORIGIN', origin);
    vi.stubEnv('VITE_CLIENT_ID', client.id);
    await build({
      configFile: resolve('examples/dashboard/vite.config.js'),
      logLevel: 'error',
      build: { outDir: folder, emptyOutDir: true },
    });

    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => void problems.push(message));
    await page.goto(address);
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Modem is dark').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const { id, number } = await openTicket(tenant, { title: 'No dial tone', priority: 'high' });
    await page.getByRole('row', { name: `${number} No dial tone HIGH OPEN` }).waitFor();
    await tenant.rest('PUT', `/support/tickets/${id}`, { body: { status: 'resolved' } });
    await page.getByText('No dial tone').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });
});
