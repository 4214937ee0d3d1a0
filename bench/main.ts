import '../apps/production.ts';
import { measureAdmission } from './admission.ts';
import { measureBulk } from './bulk.ts';
import { measureFederatedQuery } from './federated-query.ts';
import { measureLive } from './live.ts';
import { measureOrders } from './orders.ts';
import { measureRest } from './rest-read.ts';
import { Results } from './results.ts';
import { measureServiceLists } from './service-lists.ts';
import { measureStart } from './start-up.ts';
import { measureWebhooks } from './webhooks.ts';

/**
 * `npm run bench` runs all measurements, prints the results, and writes them to bench/results.md. `npm run bench -- c k` runs
 * only the sections (c) and (k).
 */
const database = process.env.BENCH_DATABASE_URL ? 'PostgreSQL' : 'the embedded database, in memory';
const results = new Results('npm run bench');
const wanted = process.argv.slice(2);
const isWanted = (letter: string): boolean => wanted.length === 0 || wanted.includes(letter);

/** Adds a section if its rows were measured. */
function add(title: string, about: string, rows: readonly object[] | undefined): void {
  if (rows) results.add(title, about, rows);
}

/** Runs a measurement if its section is wanted. */
const measured = async <T>(letter: string, measure: () => Promise<T>): Promise<T | undefined> => (isWanted(letter) ? measure() : undefined);

const rest = new Set((['a', 'c'] as const).filter(isWanted));
const { read, list, ticket, order } = rest.size > 0 ? await measureRest(rest) : {};
add(
  '(a) One record over REST',
  `The whole stack is compared with a hand-written handler. Both use the same edge (authentication, limits, slots), the same SQL statement and the same response. Database: ${database}. 32 connections.`,
  read,
);
add(
  '(a) A list of 50 over REST',
  `The newest 50 of 500 tickets, with their total number, assignee and service level. The hand-written handler runs two SQL statements in parallel. Database: ${database}.`,
  list,
);
add(
  '(b) One query over four subgraphs',
  'All subgraphs are in the measured process. The query returns 20 accounts with 180 objects, and its variables change. The ratio is to Apollo’s gateway.',
  await measured('b', measureFederatedQuery),
);
add(
  '(c) A ticket with its event',
  `The request has an Idempotency-Key, and creates an event and a timeline entry. The hand-written handler writes the same rows in one transaction, behind the same edge, with the same notification. It does not validate the input, and does not choose the agent by load. Database: ${database}.`,
  ticket,
);
add(
  '(c) An order with its provisioning job',
  `The order includes checks of coverage, price and account. The hand-written handler writes the same rows in one transaction, behind the same edge, with the same notification. It does not validate the input. The jobs are postponed, so that no services are built meanwhile. Database: ${database}.`,
  order,
);
add(
  '(d) Start',
  'The time from the command until /readyz responds, with the embedded database on disk.',
  await measured('d', measureStart),
);
add(
  '(e) A request at the edge',
  'In process. The edge verifies a cached API key, counts the request in all limits of its plan, takes and releases a slot, and writes the headers.',
  await measured('e', measureAdmission),
);
const { fanOut, memory } = (await measured('f', measureLive)) ?? {};
add(
  '(f) One event to many sockets',
  `The time from the commit of the event to its receipt. Each socket has its own subscription, and the clients are in other processes. The ratio is to a broadcast by a plain ws server to the same number of sockets. Database: ${database}.`,
  fanOut,
);
add('(f) An idle socket that is subscribed', 'Memory of the server process for each socket, after garbage collection.', memory);

const { throughput, latency } = (await measured('g', measureWebhooks)) ?? {};
add(
  '(g) Deliveries to webhooks',
  `Deliveries to a receiver in another process. The platform reads, signs, posts and records each delivery. Plain undici posts the same bytes, with one open request for each webhook. Database: ${database}.`,
  throughput,
);
add(
  '(g) An event on its way to a webhook',
  `The time from the commit that records the event to its receipt. Database: ${database}.`,
  latency,
);
add(
  '(j) A bulk with a rollback',
  `100 services are ordered, built by the simulator, which needs 0.2 seconds for each, and become operational in one transaction. Database: ${database}.`,
  await measured('j', measureBulk),
);

add(
  '(k) Orders until they are invoiced',
  `Orders by 16 clients in another process, after a warm-up of 1,000 orders. The simulator needs 0.2 seconds for each service. A rate limit allows an organization 50 orders in an hour. Database: ${database}.`,
  await measured('k', measureOrders),
);

add(
  '(l) An organization with many services',
  `Lists and the summary over REST of two organizations that differ only in their number of services. Each of two connections requests them in turn, 1,000 times in all. The ratio compares the 99th percentile with that of the smaller one. Database: ${database}.`,
  await measured('l', measureServiceLists),
);

results.write();
process.exit(0);
