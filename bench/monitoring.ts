import '../apps/production.ts';
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { measureAlerts } from './monitoring-alerts.ts';
import { measureIngest } from './monitoring-ingest.ts';
import { measureCharts, measureLogs } from './monitoring-reads.ts';
import { Results } from './results.ts';

/**
 * Runs the monitoring measurements (`npm run bench:monitoring`), and writes the results to bench/results.md. `npm run bench:monitoring --
 * charts` runs one measurement; `--seconds 600` sets how long samples are sent at a fixed rate. They need a PostgreSQL server
 * (BENCH_DATABASE_URL) on this machine.
 */
const { values, positionals } = parseArgs({ options: { seconds: { type: 'string', default: '600' } }, allowPositionals: true });

const SECTIONS: Record<string, (results: Results) => Promise<void>> = {
  ingest: async (results) =>
    results.add(
      '(t) Samples over REST',
      'Batches of 1,000 samples as JSON, with 20 metrics. At the fixed rate, the time of a batch begins when it was due. The hand-written handler stores the same rows with one statement and the same commits, behind the same edge. It keeps the numbers of the series in memory, does not validate the samples, and does not report repeated ones. Both send as fast as possible with 4 clients, in turns. `rollupsBehindSeconds` is counted from the last full minute. `cores` counts the platform and PostgreSQL, without the clients.',
      await measureIngest(Number(values.seconds)),
    ),
  charts: async (results) =>
    results.add(
      '(u) Charts of one series',
      'With 2 connections. 20 series have 1-minute rollups of 30 days and 15-minute rollups of a year. Database: PostgreSQL.',
      await measureCharts(),
    ),
  alerts: async (results) =>
    results.add(
      '(v) 10,000 alerts of 20 organizations',
      'Each alert is evaluated each minute, on a series of its own that gets a sample each minute. One in a hundred alerts changes its state each minute. Database: PostgreSQL.',
      await measureAlerts(),
    ),
  logs: async (results) =>
    results.add(
      '(w) Searches of log entries',
      'With 2 connections. The organization has 1 million entries of a week, ten others have 1 million each. Each search returns the newest 50 entries and their number, which is counted up to 10,000. Database: PostgreSQL.',
      await measureLogs(),
    ),
};

const chosen = positionals.length > 0 ? positionals : Object.keys(SECTIONS);
if (chosen.some((name) => !SECTIONS[name])) {
  process.stderr.write(`The arguments are names of measurements: ${Object.keys(SECTIONS).join(', ')}.\n`);
  process.exit(1);
}
if (!process.env.BENCH_DATABASE_URL) {
  process.stderr.write('Set BENCH_DATABASE_URL to a PostgreSQL database on this machine.\n');
  process.exit(1);
}
const results = new Results('npm run bench:monitoring');
for (const name of chosen) await SECTIONS[name]?.(results);
results.write();
process.exit(0);
