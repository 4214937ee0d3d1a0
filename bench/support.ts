import { scratchFolder } from './scratch-folder.ts';
import '../apps/production.ts';
import 'reflect-metadata';
import autocannon from 'autocannon';
import type { Rows } from '../kernel/database/database.ts';
import { platformOn } from './platform.ts';
import { Results } from './results.ts';
import { seedTickets } from './support.seed.ts';

/** `npm run bench:support`: lists, search, words and dashboard of desks that differ only in how many tickets they have. */
const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 100_000, 1_000_000];
const ROUNDS = 3;
const REQUESTS = 500;
const CONNECTIONS = 2;
const SAMPLES = 100;

const url = process.env.BENCH_DATABASE_URL;
if (!url || SIZES.some((size) => !Number.isInteger(size) || size < 1)) {
  process.stderr.write('Name an empty PostgreSQL database in BENCH_DATABASE_URL, and sizes as numbers of tickets.\n');
  process.exit(1);
}

interface DeskOf {
  size: number;
  apiKey: string;
  /** Who have about as many tickets, whatever the size of the desk. */
  customers: string[];
  agents: string[];
  /** Circuit numbers that texts name. */
  circuits: string[];
}

const { platform, domains, rows } = await platformOn(url, scratchFolder());

const desks: DeskOf[] = [];
for (const size of SIZES) desks.push(await openDesk(size, url, rows));
await untilFolded(rows);

const longAgo = () => new Date(Date.now() - 730 * 86_400_000).toISOString();
const recent = () => new Date(Date.now() - 30 * 86_400_000).toISOString();
/** Pages are short where the smallest desk has few that match: a full page there is compared with a full page here. */
const CASES: Record<string, (desk: DeskOf, turn: number) => string> = {
  'list, newest first': () => '/support/tickets?limit=50',
  'list, page 20': () => '/support/tickets?limit=50&page=20',
  'list by due time': () => '/support/tickets?limit=50&sort=resolution_due:desc',
  'search: open or in work, high or critical': () =>
    '/support/tickets/search?pagination[limit]=5&filters[status][]=open&filters[status][]=in_progress&filters[priority][]=high&filters[priority][]=critical',
  'search: a customer, resolved, of two years': ({ customers }, turn) =>
    `/support/tickets/search?pagination[limit]=5&filters[customer_id]=${customers[turn % customers.length]}&filters[status][]=resolved&filters[created_after]=${longAgo()}`,
  'search: an agent, by priority': ({ agents }, turn) =>
    `/support/tickets/search?pagination[limit]=5&filters[assigned_to]=${agents[turn % agents.length]}&filters[priority][]=critical`,
  'search: a category in 30 days': () =>
    `/support/tickets/search?pagination[limit]=5&filters[category]=voice&filters[created_after]=${recent()}`,
  'words: the number of a circuit': ({ circuits }, turn) => `/support/tickets?limit=5&q=${circuits[turn % circuits.length]}`,
  'words: one in 1,700 tickets, all ranked': (_, turn) => `/support/tickets?limit=5&q=${WORDS[turn % WORDS.length]}`,
  'words: one in every third, 1,000 ranked': () => '/support/tickets?q=certificate',
  'a number': ({ size }, turn) => `/support/tickets?q=TKT-${1001 + ((turn * 7919) % size)}`,
  'dashboard, 30 days': () => '/support/analytics/dashboard?date_range=30d&timezone=America/New_York',
};
const WORDS = ['baketi', 'lominu', 'rasevo', 'zudafe', 'tivozu', 'kelomi'];

const results = new Results('npm run bench:support');
const measured = new Map<string, autocannon.Result[]>();
// rounds are interleaved, so that all sizes see the same machine
for (let round = 0; round <= ROUNDS; round += 1)
  for (const [name, path] of Object.entries(CASES))
    for (const desk of desks) {
      const result = await load(desk, path);
      // the first round fills caches
      if (round > 0) measured.set(`${name} ${desk.size}`, [...(measured.get(`${name} ${desk.size}`) ?? []), result]);
    }
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const table = Object.keys(CASES).flatMap((name) => {
  const latencies = desks.map(({ size }) => (measured.get(`${name} ${size}`) ?? []).map(({ latency }) => latency));
  const p99s = latencies.map((all) => median(all.map(({ p99 }) => p99)));
  return desks.map(({ size }, index) => ({
    name,
    tickets: size,
    p50Ms: median((latencies[index] ?? []).map(({ p50 }) => p50)),
    p99Ms: p99s[index] ?? 0,
    ratio: Number(((p99s[index] ?? 0) / (p99s[0] || 1)).toFixed(2)),
  }));
});
results.add(
  '(h) A desk as it grows',
  `Over REST on PostgreSQL, ${CONNECTIONS} connections, all desks in one database; ratio of the 99th percentile to that of the smallest desk.`,
  table,
);
results.write();
await platform.close();
process.exit(0);

async function openDesk(size: number, databaseUrl: string, store: Rows): Promise<DeskOf> {
  const { organization, apiKey } = await domains.identity.createOrganization({ name: `Desk of ${size}`, plan: 'custom' });
  await seedTickets(databaseUrl, organization.id, size, (line) => process.stdout.write(`${line}\n`));
  const sampled = await store.query<{ agent_id: string; description: string }>(
    `select "agent_id", "description" from "support"."ticket" where "organization_id" = $1 order by "id" desc limit $2`,
    [organization.id, SAMPLES],
  );
  const customers = await store.query<{ customer_id: string }>(
    `select "customer_id" from "support"."ticket" where "organization_id" = $1 group by 1 having count(*) between 50 and 100 limit $2`,
    [organization.id, SAMPLES],
  );
  return {
    size,
    apiKey,
    customers: customers.map(({ customer_id: customer }) => customer),
    agents: [...new Set(sampled.map(({ agent_id: agent }) => agent))],
    circuits: sampled.map(({ description }) => /(\d+)\.$/.exec(description)?.[1] ?? ''),
  };
}

/** What was put in at once is a long list of news to the tally; in life it is a few. */
async function untilFolded(store: Rows): Promise<void> {
  for (;;) {
    const [row] = await store.query<{ left: number }>(`select count(*)::int as left from "support"."ticket_tally" where not "folded"`, []);
    if (!row?.left) break;
    process.stdout.write(`folding: ${row.left} left\n`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  await store.query('vacuum analyze "support"."ticket_tally"', []);
}

async function load(desk: DeskOf, path: (desk: DeskOf, turn: number) => string): Promise<autocannon.Result> {
  let turn = 0;
  const headers = { authorization: `Bearer ${desk.apiKey}` };
  const setupRequest = (request: autocannon.Request): autocannon.Request => ({ ...request, path: `/v1${path(desk, turn++)}`, headers });
  const result = await autocannon({ url: platform.origin, connections: CONNECTIONS, amount: REQUESTS, requests: [{ setupRequest }] });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${path(desk, 0)}: ${result.non2xx} refusals, ${result.errors} failures.`);
  return result;
}
