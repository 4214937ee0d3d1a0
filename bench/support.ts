import { scratchFolder } from './scratch-folder.ts';
import '../apps/production.ts';
import 'reflect-metadata';
import autocannon from 'autocannon';
import { MAX_ACCOUNTS } from '../kernel/access/principal.ts';
import type { Rows } from '../kernel/database/database.ts';
import { platformOn } from './platform.ts';
import { Results } from './results.ts';
import { type Party, seedTickets } from './support-seed.ts';

/**
 * `npm run bench:support` measures lists, search and dashboard of support desks that differ only in their number of tickets. If an earlier
 * run has created a support desk of this size, it is measured again, including the changes that later migrations made to it.
 */
const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 100_000, 1_000_000];
const ROUNDS = 3;
const REQUESTS = 200;
const CONNECTIONS = 2;
const SAMPLES = 100;

const url = process.env.BENCH_DATABASE_URL;
if (!url || SIZES.some((size) => !Number.isInteger(size) || size < 1)) {
  process.stderr.write(
    'Set BENCH_DATABASE_URL to a PostgreSQL database that is empty or was filled by this command. The arguments are numbers of tickets.\n',
  );
  process.exit(1);
}

/** A caller who can read all tickets, or only the tickets of some accounts. */
interface Caller {
  name: string;
  apiKey: string;
}

interface DeskOf {
  size: number;
  /** The first caller can read all tickets. */
  callers: Caller[];
  /**
   * Customers with about the same number of tickets at every desk size. Callers who are limited to accounts cannot read
   * the tickets of these customers.
   */
  customers: string[];
  agents: string[];
  /** Circuit numbers in the texts of some tickets. The benchmark searches for them. */
  circuits: string[];
}

const { platform, domains, rows } = await platformOn(url, scratchFolder());

const desks: DeskOf[] = [];
await rows.query('create table if not exists "bench_probe"."desk" ("size" int primary key, "desk" jsonb not null)', []);
for (const size of SIZES) desks.push((await filledDesk(size, rows)) ?? (await openDesk(size, url, rows)));
await untilCompacted(rows);

const longAgo = () => new Date(Date.now() - 730 * 86_400_000).toISOString();
/**
 * Start of a range that covers most tickets. The range starts in the middle of a day, so that totals combine whole days
 * and a part of a day.
 */
const almostAll = () => new Date(Date.now() - 700.5 * 86_400_000).toISOString();
const recent = () => new Date(Date.now() - 30 * 86_400_000).toISOString();
/** The name of a case in `CASES` that is not measured for callers who are limited to accounts. */
const OF_CUSTOMERS = 'search: a customer, resolved, of two years';
/**
 * The request path of each case, without `/v1`. Most searches request short pages: even the smallest desk has enough
 * matches to fill them, so pages have the same length at every desk size.
 */
const CASES: Record<string, (desk: DeskOf, turn: number) => string> = {
  'list, newest first': () => '/support/tickets?limit=50',
  'list, page 20': () => '/support/tickets?limit=50&page=20',
  'list by due time': () => '/support/tickets?limit=50&sort=resolution_due:desc',
  'search: open or in work, high or critical': () =>
    '/support/tickets/search?pagination[limit]=5&filters[status][]=open&filters[status][]=in_progress&filters[priority][]=high&filters[priority][]=critical',
  [OF_CUSTOMERS]: ({ customers }, turn) =>
    `/support/tickets/search?pagination[limit]=5&filters[customer_id]=${customers[turn % customers.length]}&filters[status][]=resolved&filters[created_after]=${longAgo()}`,
  'search: an agent, by priority': ({ agents }, turn) =>
    `/support/tickets/search?pagination[limit]=5&filters[assigned_to]=${agents[turn % agents.length]}&filters[priority][]=critical`,
  'search: a category in 30 days': () =>
    `/support/tickets/search?pagination[limit]=5&filters[category]=voice&filters[created_after]=${recent()}`,
  'search: of two years': () => `/support/tickets/search?pagination[limit]=5&filters[created_after]=${almostAll()}`,
  'search: resolved, of two years': () =>
    `/support/tickets/search?pagination[limit]=5&filters[status][]=resolved&filters[created_after]=${almostAll()}`,
  'words: the number of a circuit': ({ circuits }, turn) => `/support/tickets?limit=5&q=${circuits[turn % circuits.length]}`,
  'words: one in 1,700 tickets, all ranked': (_, turn) => `/support/tickets?limit=5&q=${WORDS[turn % WORDS.length]}`,
  'words: one in every third, 1,000 ranked': () => '/support/tickets?q=certificate',
  'words: one in 1,700 tickets, of two states and two years': (_, turn) =>
    `/support/tickets/search?pagination[limit]=5&filters[q]=${WORDS[turn % WORDS.length]}&filters[status][]=open&filters[status][]=resolved&filters[created_after]=${almostAll()}`,
  'words: one in every third, high or critical': () =>
    '/support/tickets/search?filters[q]=certificate&filters[priority][]=high&filters[priority][]=critical',
  'a number': ({ size }, turn) => `/support/tickets?q=TKT-${1001 + ((turn * 7919) % size)}`,
  'dashboard, 30 days': () => '/support/analytics/dashboard?date_range=30d&timezone=America/New_York',
};
const WORDS = ['baketi', 'lominu', 'rasevo', 'zudafe', 'tivozu', 'kelomi'];

const results = new Results('npm run bench:support');
const measured = new Map<string, autocannon.Result[]>();
const callersOf = (name: string, { callers }: DeskOf): Caller[] => (name === OF_CUSTOMERS ? callers.slice(0, 1) : callers);
const keyOf = (name: string, desk: DeskOf, caller: Caller) => `${name} ${desk.size} ${caller.name}`;
// rounds are interleaved, so that all sizes and callers run under the same conditions
for (let round = 0; round <= ROUNDS; round += 1)
  for (const [name, path] of Object.entries(CASES))
    for (const desk of desks)
      for (const caller of callersOf(name, desk)) {
        const result = await load(desk, caller, path);
        const key = keyOf(name, desk, caller);
        // the first round is not counted: it fills caches
        if (round > 0) measured.set(key, [...(measured.get(key) ?? []), result]);
      }
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const ratio = (one: number, other: number): number => Number((one / (other || 1)).toFixed(2));
const medianOf = (name: string, desk: DeskOf, caller: Caller | undefined, of: (latency: autocannon.Result['latency']) => number) =>
  median(((caller && measured.get(keyOf(name, desk, caller))) ?? []).map(({ latency }) => of(latency)));
results.add(
  '(h) A desk as it grows',
  `Requests over REST on PostgreSQL, with ${CONNECTIONS} connections. All desks are in one database. The ratio compares the 99th percentile with that of the smallest desk.`,
  Object.keys(CASES).flatMap((name) => {
    const p99s = desks.map((desk) => medianOf(name, desk, desk.callers[0], ({ p99 }) => p99));
    return desks.map((desk, index) => ({
      name,
      tickets: desk.size,
      p50Ms: medianOf(name, desk, desk.callers[0], ({ p50 }) => p50),
      p99Ms: p99s[index] ?? 0,
      ratio: ratio(p99s[index] ?? 0, p99s[0] ?? 0),
    }));
  }),
);
results.add(
  '(i) A desk for callers who are limited to accounts',
  `The same requests with three API keys. The first can read all tickets. The second is limited to an account with half of the tickets, the third to ${MAX_ACCOUNTS} accounts with a quarter of them. The times are means; each ratio is to the first key.`,
  Object.keys(CASES)
    .filter((name) => name !== OF_CUSTOMERS)
    .flatMap((name) =>
      desks.map((desk) => {
        const [all = 0, half = 0, several = 0] = desk.callers.map((caller) => medianOf(name, desk, caller, ({ average }) => average));
        return {
          name,
          tickets: desk.size,
          allMs: all,
          halfMs: half,
          halfRatio: ratio(half, all),
          severalMs: several,
          severalRatio: ratio(several, all),
        };
      }),
    ),
);
results.write();
await platform.close();
process.exit(0);

async function openDesk(size: number, databaseUrl: string, store: Rows): Promise<DeskOf> {
  const { organization, apiKey } = await domains.identity.createOrganization({ name: `Desk of ${size}`, plan: 'custom' });
  const parties: Party[] = [];
  for (let index = 0; index <= MAX_ACCOUNTS; index += 1) parties.push(await openAccount(apiKey, `Customer ${index + 1}`));
  const [half, ...several] = parties;
  if (!half) throw new Error('A desk has accounts.');
  await seedTickets(databaseUrl, organization.id, size, { half, several }, (line) => process.stdout.write(`${line}\n`));
  const sampled = await store.query<{ agent_id: string; description: string }>(
    `select "agent_id", "description" from "support"."ticket" where "organization_id" = $1 order by "id" desc limit $2`,
    [organization.id, SAMPLES],
  );
  const customers = await store.query<{ customer_id: string }>(
    `select "customer_id" from "support"."ticket" where "organization_id" = $1 group by 1 having count(*) between 50 and 100 limit $2`,
    [organization.id, SAMPLES],
  );
  const limited = async (name: string, accounts: readonly Party[]): Promise<Caller> => ({
    name,
    apiKey: await limitedKey(apiKey, accounts),
  });
  const desk: DeskOf = {
    size,
    callers: [{ name: 'all', apiKey }, await limited('half', [half]), await limited('several', several)],
    customers: customers.map(({ customer_id: customer }) => customer),
    agents: [...new Set(sampled.map(({ agent_id: agent }) => agent))],
    circuits: sampled.map(({ description }) => /(\d+)\.$/.exec(description)?.[1] ?? ''),
  };
  await store.query('insert into "bench_probe"."desk" values ($1, $2::text::jsonb)', [size, JSON.stringify(desk)]);
  return desk;
}

async function filledDesk(size: number, store: Rows): Promise<DeskOf | undefined> {
  const [found] = await store.query<{ desk: DeskOf }>('select "desk" from "bench_probe"."desk" where "size" = $1', [size]);
  return found?.desk;
}

async function openAccount(apiKey: string, name: string): Promise<Party> {
  const { data } = await post(apiKey, '/accounts', { name, email: 'it@customer.example.com' });
  return { id: data.id, customerId: data.customer_id };
}

async function limitedKey(apiKey: string, parties: readonly Party[]): Promise<string> {
  const accounts = parties.map(({ id }) => id);
  return (await post(apiKey, '/auth/api-keys', { name: 'Limited', permissions: ['support:read'], accounts })).api_key.key;
}

interface Made {
  data: { id: string; customer_id: string };
  api_key: { key: string };
}

async function post(apiKey: string, path: string, body: object): Promise<Made> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(`${platform.origin}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Made;
}

/**
 * Waits until the platform has compacted the counters of the inserted tickets, and rebuilds the indexes of these
 * counters.
 * In production, the platform compacts them continually.
 */
async function untilCompacted(store: Rows): Promise<void> {
  for (const table of ['"support"."ticket_tally"', '"support"."ticket_account_tally"']) {
    for (;;) {
      const [row] = await store.query<{ left: number }>(`select count(*)::int as left from ${table} where not "folded"`, []);
      if (!row?.left) break;
      process.stdout.write(`compacting ${table}: ${row.left} rows left\n`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    await store.query(`reindex table concurrently ${table}`, []);
    await store.query(`vacuum analyze ${table}`, []);
  }
}

async function load(desk: DeskOf, caller: Caller, path: (typeof CASES)[string]): Promise<autocannon.Result> {
  let turn = 0;
  const headers = { authorization: `Bearer ${caller.apiKey}` };
  const next = (): string => path(desk, turn++);
  const setupRequest = (request: autocannon.Request): autocannon.Request => ({ ...request, path: `/v1${next()}`, headers });
  const result = await autocannon({ url: platform.origin, connections: CONNECTIONS, amount: REQUESTS, requests: [{ setupRequest }] });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${next()}: ${result.non2xx} refusals, ${result.errors} failures.`);
  return result;
}
