import { Gauge, Histogram, type Registry } from 'prom-client';

const SLOW_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const JOB_SECONDS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 120];

/** Metrics of background work and its queues. Values that cover all processes are read from the database (`MetricSamples`). */
export const workMetrics = (registers: Registry[]) => ({
  ...jobMetrics(registers),
  ...outsideMetrics(registers),
  ...poolMetrics(registers),
});

const jobMetrics = (registers: Registry[]) => ({
  jobDuration: new Histogram({
    name: 'job_duration_seconds',
    help: 'Jobs that this process worked on, by queue and outcome: completed, or failed, after which a job is tried again or given up.',
    labelNames: ['queue', 'outcome'],
    buckets: JOB_SECONDS,
    registers,
  }),
  jobsRunning: new Gauge({ name: 'jobs_running', help: 'Jobs that this process is working on.', labelNames: ['queue'], registers }),
  jobsWaiting: new Gauge({
    name: 'jobs_waiting',
    help: 'Jobs of all processes that wait, for their time or for their next try; 10001 stands for more than 10,000.',
    labelNames: ['queue'],
    registers,
  }),
  jobsOldest: new Gauge({
    name: 'jobs_oldest_waiting_seconds',
    help: 'How long the job that has waited longest is overdue; 0 where none is due.',
    labelNames: ['queue'],
    registers,
  }),
  jobsFailed: new Gauge({
    name: 'jobs_failed',
    help: 'Jobs of all processes that were given up after all their tries and are still on record (a day). Counted once a minute.',
    labelNames: ['queue'],
    registers,
  }),
});

const outsideMetrics = (registers: Registry[]) => ({
  messageDuration: new Histogram({
    name: 'message_send_duration_seconds',
    help: 'Attempts to hand over a message (mail, sms) by outcome: sent, rejected for good, failed and tried again. What waits is in jobs_waiting.',
    labelNames: ['kind', 'outcome'],
    buckets: SLOW_SECONDS,
    registers,
  }),
  integrationDuration: new Histogram({
    name: 'integration_attempt_duration_seconds',
    help: 'Attempts to tell an integration (slack, jira) by outcome: delivered, skipped, refused, later (tried again) or disabled.',
    labelNames: ['provider', 'outcome'],
    buckets: SLOW_SECONDS,
    registers,
  }),
  integrationWaiting: new Gauge({
    name: 'integration_deliveries_waiting',
    help: 'Events that wait to be told to an integration; 10001 stands for more than 10,000.',
    labelNames: ['provider'],
    registers,
  }),
  integrationOldest: new Gauge({
    name: 'integration_deliveries_oldest_waiting_seconds',
    help: 'Age of the oldest event that waits to be told to an integration.',
    labelNames: ['provider'],
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
    help: 'Statements and transactions that wait for a connection of a pool. More than 0 for long: the pool is too small, or PostgreSQL is slow.',
    labelNames: ['pool'],
    registers,
  }),
});
