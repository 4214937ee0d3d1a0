import '../apps/production.ts';
import 'reflect-metadata';
import { measureGrowth } from './billing-growth.ts';
import { measurePayments } from './billing-payments.ts';
import { measurePdf } from './billing-pdf.ts';
import { measureRun } from './billing-run.ts';
import { INVOICES_EACH } from './billing-seed.ts';
import { measureUsage } from './billing-usage.ts';
import { Results } from './results.ts';
import { measureSandboxYear } from './sandbox-year.ts';

/**
 * Runs the billing measurements (`npm run bench:billing`), and writes the results to bench/results.md. `npm run bench:billing -- usage`
 * runs one measurement. `ON_SERVER` lists the measurements that need a PostgreSQL server (BENCH_DATABASE_URL).
 */
const DATABASE = `Database: ${process.env.BENCH_DATABASE_URL ? 'PostgreSQL' : 'the embedded database, in memory'}.`;
const SECTIONS: Record<string, (results: Results) => Promise<void>> = {
  usage: async (results) =>
    results.add(
      '(n) Usage over REST',
      `All events of an organization are of 20 services. Its plan is custom, whose allowance of events has no limit. The sums of the days are compared with what was sent, at once after the last response. ${DATABASE}`,
      await measureUsage(),
    ),
  pdf: async (results) =>
    results.add(
      '(o) The PDF of an invoice',
      'Drawing alone, without reading the invoice, one after the other in one process.',
      await measurePdf(),
    ),
  year: async (results) =>
    results.add(
      '(p) A year in a sandbox',
      `The clock of an organization advances by a year. Each service has an invoice a month, which is paid automatically on its due date. No e-mail is sent. \`cpuSeconds\` is the processor time of the platform, without the database. ${DATABASE}`,
      await measureSandboxYear(),
    ),
  run: async (results) =>
    results.add(
      '(q) The recurring run',
      `Subscriptions of 20 organizations are due at the same time: in each round 100 in each organization, with 2 services and a tax. The time ends when none is due. The processor time is that of the platform, without the database, until all events are in the log. Each mistake is an account without exactly one invoice, a gap in the numbers of an organization, or a line too many or too few. ${DATABASE}`,
      await measureRun(),
    ),
  growth: async (results) =>
    results.add(
      '(r) Reads of an organization with many invoices',
      `Requests over REST, with 2 connections. Both organizations are in one database. They differ in the number of invoices and of customers: one customer has a tenth of the invoices, each other customer about ${INVOICES_EACH}. Both have the same 200 services with usage. The ratio compares the 99th percentile with that of the smaller one. ${DATABASE}`,
      await measureGrowth(),
    ),
  payments: async (results) =>
    results.add(
      '(s) Paying an invoice',
      `Each request has an Idempotency-Key, and pays a whole invoice with a stored payment method of the test processor. The hand-written handler writes the same rows with the same commits, behind the same edge, with one statement for each table of a transaction. It does not validate the input. 16 connections. ${DATABASE}`,
      await measurePayments(),
    ),
};

const ON_SERVER = ['run', 'growth', 'payments'];

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(SECTIONS);
if (chosen.some((name) => !SECTIONS[name])) {
  process.stderr.write(`The arguments are names of measurements: ${Object.keys(SECTIONS).join(', ')}.\n`);
  process.exit(1);
}
if (!process.env.BENCH_DATABASE_URL && chosen.some((name) => ON_SERVER.includes(name))) {
  process.stderr.write(`Set BENCH_DATABASE_URL to a PostgreSQL database for ${ON_SERVER.join(', ')}.\n`);
  process.exit(1);
}
const results = new Results('npm run bench:billing');
for (const name of chosen) await SECTIONS[name]?.(results);
results.write();
process.exit(0);
