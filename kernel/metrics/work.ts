import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const SLOW_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const JOB_SECONDS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 120];

/**
 * Metrics of background work and its queues. Values that concern all processes are read from the database
 * (`MetricSamples`).
 */
export const workMetrics = (registers: Registry[]) => ({
  ...jobMetrics(registers),
  ...outsideMetrics(registers),
  ...ledgerMetrics(registers),
  ...poolMetrics(registers),
  ...logMetrics(registers),
});

const jobMetrics = (registers: Registry[]) => ({
  jobDuration: new Histogram({
    name: 'job_duration_seconds',
    help: 'Jobs that this process ran, by queue and outcome: completed or failed. A failed job is retried, up to its limit.',
    labelNames: ['queue', 'outcome'],
    buckets: JOB_SECONDS,
    registers,
  }),
  jobsRunning: new Gauge({ name: 'jobs_running', help: 'Jobs that this process is running.', labelNames: ['queue'], registers }),
  jobsWaiting: new Gauge({
    name: 'jobs_waiting',
    help: 'Jobs of all processes that wait for their start time or their next attempt; 10001 means more than 10,000.',
    labelNames: ['queue'],
    registers,
  }),
  jobsOldest: new Gauge({
    name: 'jobs_oldest_waiting_seconds',
    help: 'How long the oldest due job is overdue; 0 if none is due.',
    labelNames: ['queue'],
    registers,
  }),
  jobsFailed: new Gauge({
    name: 'jobs_failed',
    help: 'Jobs of all processes that failed after all attempts, within the last day. Updated once a minute.',
    labelNames: ['queue'],
    registers,
  }),
});

const outsideMetrics = (registers: Registry[]) => ({
  messageDuration: new Histogram({
    name: 'message_send_duration_seconds',
    help: 'Attempts to send a message (mail, sms) by outcome: sent, rejected (permanently) or failed (retried). Waiting messages are counted in jobs_waiting.',
    labelNames: ['kind', 'outcome'],
    buckets: SLOW_SECONDS,
    registers,
  }),
  integrationDuration: new Histogram({
    name: 'integration_attempt_duration_seconds',
    help: 'Attempts to deliver an event to an integration (slack, jira) by outcome: delivered, skipped, refused, later (retried) or disabled.',
    labelNames: ['provider', 'outcome'],
    buckets: SLOW_SECONDS,
    registers,
  }),
  integrationWaiting: new Gauge({
    name: 'integration_deliveries_waiting',
    help: 'Events that wait for delivery to an integration; 10001 means more than 10,000.',
    labelNames: ['provider'],
    registers,
  }),
  integrationOldest: new Gauge({
    name: 'integration_deliveries_oldest_waiting_seconds',
    help: 'Age of the oldest event that waits for delivery to an integration.',
    labelNames: ['provider'],
    registers,
  }),
});

const ledgerMetrics = (registers: Registry[]) => ({
  ledgersWithDifferences: new Gauge({
    name: 'ledgers_with_differences',
    help: 'Organizations whose last nightly audit found that the ledger differs from the records. If it is above 0, the books are wrong.',
    registers,
  }),
});

const poolMetrics = (registers: Registry[]) => ({
  poolConnections: new Gauge({
    name: 'database_pool_connections',
    help: 'Open connections of a pool to PostgreSQL (one for each domain, and jobs) by state: busy or idle.',
    labelNames: ['pool', 'state'],
    registers,
  }),
  poolWaiting: new Gauge({
    name: 'database_pool_waiting',
    help: 'Statements and transactions that wait for a connection of a pool. If it stays above 0, the pool is too small or PostgreSQL is slow.',
    labelNames: ['pool'],
    registers,
  }),
});

const logMetrics = (registers: Registry[]) => ({
  logLines: new Counter({
    name: 'log_entries_total',
    help: 'Log entries of organizations by outcome: stored; lost, because an organization has too many per minute or the table cannot be written.',
    labelNames: ['outcome'],
    registers,
  }),
  logRedactions: new Counter({
    name: 'log_redactions_total',
    help: 'Secrets that were removed from log entries of organizations before they were stored.',
    registers,
  }),
});
