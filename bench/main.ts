import '../apps/production.ts';
import { measureAdmission } from './admission.ts';
import { measureFederatedQuery } from './federated-query.ts';
import { measureLive } from './live.ts';
import { measureRest } from './rest-read.ts';
import { Results } from './results.ts';
import { measureStart } from './start-up.ts';
import { measureWebhooks } from './webhooks.ts';

/** `npm run bench` runs all measurements, prints the results, and writes them to bench/results.md. */
const database = process.env.BENCH_DATABASE_URL ? 'PostgreSQL' : 'the embedded database, in memory';
const results = new Results('npm run bench');
const add = results.add.bind(results);

const { read, list, ticket, order } = await measureRest();
add(
  '(a) One record over REST',
  `Whole stack against a hand-written handler behind the same edge (authentication, limits, slots), with the same statement and the same answer, on ${database}; 32 connections.`,
  read,
);
add(
  '(a) A list of 50 over REST',
  `The same for the newest 50 of 500 with their total, assignee and service level, against two statements side by side; on ${database}.`,
  list,
);
add(
  '(b) One query over four subgraphs',
  'In process, 20 accounts with 180 objects, variables varying; ratio to Apollo’s gateway.',
  await measureFederatedQuery(),
);
add(
  '(c) A ticket with its event',
  `With an Idempotency-Key, event and timeline; against a hand-written transaction of the same rows behind the same edge, without validation and assignment by load; on ${database}.`,
  ticket,
);
add('(c) An order with its provisioning job', `Coverage, price and account checked; no hand-written counterpart; on ${database}.`, order);
add('(d) Start', 'From the command to an answer of /readyz; the embedded database on disk.', await measureStart());
add(
  '(e) A request at the edge',
  'In process: a cached API key verified, the request counted against all limits of its plan, a slot taken and given back, the headers written.',
  await measureAdmission(),
);
const { fanOut, memory } = await measureLive();
add(
  '(f) One event to many sockets',
  `From the event’s commit to its receipt, each socket with a subscription of its own, clients in other processes, on ${database}; ratio to a broadcast by a bare ws server to as many.`,
  fanOut,
);
add('(f) An idle socket that is subscribed', 'What the server process keeps for each, after garbage collection.', memory);

const { throughput, latency } = await measureWebhooks();
add(
  '(g) Deliveries to webhooks',
  `To a receiver in another process: read, signed, posted and recorded, against bare undici that posts the same bytes with one request in flight for each webhook; on ${database}.`,
  throughput,
);
add('(g) An event on its way to a webhook', `From the commit that records it to its receipt; on ${database}.`, latency);

results.write();
process.exit(0);
