import { scratchFolder } from './scratch-folder.ts';
import '../apps/production.ts';
import 'reflect-metadata';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Rows } from '../kernel/database/database.ts';
import { platformOn } from './platform.ts';

/**
 * `npm run bench:growth` measures how much each table grows with a million requests of each kind, for
 * docs/operations.md.
 * It makes a few requests of each kind on an empty PostgreSQL database and extrapolates the result.
 * `npm run bench:growth -- 5000` makes 5000 requests of each kind.
 */
const REQUESTS = Number(process.argv[2] ?? 1000);
const SIDE_BY_SIDE = 8;
const MILLION = 1_000_000;
const MB = 1_000_000;

const url = process.env.BENCH_DATABASE_URL;
if (!url || !Number.isInteger(REQUESTS) || REQUESTS < 1) {
  process.stderr.write('Set BENCH_DATABASE_URL to an empty PostgreSQL database. The argument is the number of requests of each kind.\n');
  process.exit(1);
}

const dataDir = scratchFolder();
const { platform, domains, rows } = await platformOn(url, dataDir, {
  ALLOW_PRIVATE_URLS: '1',
  ANONYMOUS_PER_HOUR: '1000000',
  ANONYMOUS_PER_MINUTE: '1000000',
});
const { apiKey } = await domains.identity.createOrganization({ name: 'Bench', plan: 'custom' });

const receiver = createServer((request, response) => void request.resume().on('end', () => response.end())).listen(0, '127.0.0.1');
await once(receiver, 'listening');

async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${platform.origin}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    body: body ? JSON.stringify(body) : null,
  });
  const answer = (await response.json()) as Answer;
  if (!response.ok && response.status !== 401) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}
interface Answer {
  ticket: { id: string };
}

const ticket = (index: number) => ({
  title: `Line ${index} is down since this morning`,
  description: 'The router shows a red light and nobody in the office can reach the internet. We restarted it twice. '.repeat(3),
  priority: 'high',
  category: 'connectivity',
});
const opened: string[] = [];
const nth = (index: number): string => opened[index % opened.length] ?? '';

const open = async (index: number): Promise<void> => void opened.push((await call('POST', '/support/tickets', ticket(index))).ticket.id);
const comment = (index: number) =>
  call('POST', `/support/tickets/${nth(index)}/comments`, { content: 'We have found the cause and are on our way. '.repeat(5) });
const priority = (index: number) => ({ priority: index % 2 ? 'high' : 'medium' });

/**
 * The kinds of requests, in the order in which they are made. Comments and changes need tickets from earlier requests.
 */
const KINDS: Record<string, (index: number) => Promise<unknown>> = {
  'ticket opened': open,
  'ticket read': (index) => call('GET', `/support/tickets/${nth(index)}`),
  'ticket changed': (index) => call('PUT', `/support/tickets/${nth(index)}`, priority(Math.floor(index / opened.length) + index)),
  'comment added': comment,
  'refused key': (index) => call('GET', '/accounts', undefined, { authorization: `Bearer sk_live_${String(index).padStart(64, '0')}` }),
  'opened with Idempotency-Key': (index) => call('POST', '/support/tickets', ticket(index), { 'idempotency-key': `growth-${index}` }),
  'opened, told to a webhook': open,
};

/** Growth of each table for each kind of request, in bytes per request. */
const growth = new Map<string, Map<string, number>>();
for (const [kind, request] of Object.entries(KINDS)) {
  if (kind.endsWith('webhook'))
    await call('POST', '/webhooks', { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`, events: ['ticket.*'] });
  await untilIdle(rows);
  const before = await sizes(rows);
  let next = 0;
  await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, async () => {
      while (next < REQUESTS) await request(next++);
    }),
  );
  await untilIdle(rows);
  const after = await sizes(rows);
  growth.set(kind, new Map([...after].map(([table, size]) => [table, (size - (before.get(table) ?? 0)) / REQUESTS])));
  process.stderr.write(`${kind}\n`);
}
await platform.close();
receiver.close();
process.stdout.write(`${report()}\n`);

/**
 * Writes the queued audit records. After that, waits until the platform has finished its background work: jobs, events, webhook deliveries,
 * and the compaction of the ticket counters.
 */
async function untilIdle(probe: Rows): Promise<void> {
  await domains.identity.core.trail.flush();
  for (;;) {
    const [row] = await probe.query<{ busy: boolean }>(
      `select exists (select from pgboss.job where state < 'completed' and start_after < now()) or exists (select from support.outbox)
         or exists (select from identity.outbox) or exists (select from events.delivery where status = 'pending')
         or exists (select from support.ticket_tally where not folded)
         or exists (select from support.ticket_account_tally where not folded) as busy`,
      [],
    );
    if (!row?.busy) return;
    await delay(200);
  }
}

/**
 * Returns the size of each table with its indexes and TOAST data, after a vacuum. A partition counts as part of its
 * table.
 */
async function sizes(probe: Rows): Promise<Map<string, number>> {
  await probe.query('vacuum full', []);
  const found = await probe.query<{ name: string; size: string }>(
    `select regexp_replace(n.nspname || '.' || c.relname, '_\\d{6,10}$', '') as name, sum(pg_total_relation_size(c.oid)) as size
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'bench_probe') group by 1`,
    [],
  );
  return new Map(found.map(({ name, size }) => [name, Number(size)]));
}

/**
 * Returns a Markdown table of the growth in MB per million requests. A table that grows by less than 0.5 MB for every
 * kind of request is left out.
 */
function report(): string {
  const kinds = [...growth.keys()];
  const tables = [...new Set([...growth.values()].flatMap((one) => [...one.keys()]))].sort();
  const cells = (table: string): number[] => kinds.map((kind) => Math.round(((growth.get(kind)?.get(table) ?? 0) * MILLION) / MB));
  const lines = tables
    .map((table) => [`\`${table}\``, ...cells(table)] as const)
    .filter(([, ...values]) => values.some((value) => value > 0));
  const sums = kinds.map((_, index) => lines.reduce((sum, line) => sum + Number(line[index + 1]), 0));
  const row = (values: readonly unknown[]): string => `| ${values.map((value) => (value === 0 ? '' : value)).join(' | ')} |`;
  return [row(['table', ...kinds]), row(['---', ...kinds.map(() => '---:')]), ...lines.map(row), row(['**all**', ...sums])].join('\n');
}
