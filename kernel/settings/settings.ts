import { z } from 'zod';
import { bootstrapSettings } from './bootstrap.ts';
import { callerSettings } from './callers.ts';
import { dataSettings } from './data.ts';
import { providerSettings } from './providers.ts';
import { flag, setting, text, wholeNumber } from './setting.ts';

/** All settings. The parser reads this table, and `--help` and docs/config.md are generated from it. */
export const settings = {
  port: setting({
    name: 'PORT',
    option: 'port',
    about: 'Port to listen on. With 0, the platform selects a free port.',
    schema: wholeNumber(0, 65535),
    fallback: '4000',
  }),
  host: setting({
    name: 'HOST',
    option: 'host',
    about: 'Address to listen on. With 0.0.0.0, the platform is reachable from other machines.',
    schema: text,
    fallback: '127.0.0.1',
  }),
  ...dataSettings,
  ...callerSettings,
  sandbox: setting({
    name: 'SANDBOX',
    option: 'sandbox',
    about: 'With 1, the platform is a sandbox: it issues test keys (test_sk_…).',
    schema: flag,
    fallback: '0',
  }),
  allowPrivateUrls: setting({
    name: 'ALLOW_PRIVATE_URLS',
    option: 'allow-private-urls',
    about: 'With 1, webhooks and integrations may call http URLs and private addresses. For development only.',
    schema: flag,
    fallback: '0',
  }),
  ...providerSettings,
  ...bootstrapSettings,
  anonymousPerHour: setting({
    name: 'ANONYMOUS_PER_HOUR',
    about: 'Maximum number of requests without valid credentials, per client address and hour.',
    schema: wholeNumber(1, 1e9),
    fallback: '1000',
  }),
  anonymousPerMinute: setting({
    name: 'ANONYMOUS_PER_MINUTE',
    about: 'Maximum number of requests without valid credentials, per client address in any 60 seconds.',
    schema: wholeNumber(1, 1e9),
    fallback: '100',
  }),
  maxConnections: setting({
    name: 'MAX_CONNECTIONS',
    about: 'Maximum number of open client connections per process, including WebSockets. Further connections are closed immediately.',
    schema: wholeNumber(1, 1_000_000),
    fallback: '10000',
  }),
  headersTimeoutMs: setting({
    name: 'HEADERS_TIMEOUT_MS',
    about:
      'Time limit for receiving the headers of a request, counted from the opening of the connection. After this time, the platform responds with 408 and closes the connection.',
    schema: wholeNumber(100, 60_000),
    fallback: '10000',
  }),
  slotWaitMs: setting({
    name: 'SLOT_WAIT_MS',
    about: 'How long a request waits for a free concurrency slot of its plan. After this time, it is rejected with 429.',
    schema: wholeNumber(0, 60_000),
    fallback: '5000',
  }),
  eventRetentionDays: setting({
    name: 'EVENT_RETENTION_DAYS',
    about: 'How many days events and their delivery records are kept: at least 7, because a delivery is retried for more than three days.',
    schema: wholeNumber(7, 3650),
    fallback: '30',
  }),
  logRetentionDays: setting({
    name: 'LOG_RETENTION_DAYS',
    about: 'How many days the log entries of organizations are kept.',
    schema: wholeNumber(1, 3650),
    fallback: '30',
  }),
  notificationRetentionDays: setting({
    name: 'NOTIFICATION_RETENTION_DAYS',
    about: 'How many days the text of ticket e-mails and SMS is kept. The fact that they were sent is kept with the ticket.',
    schema: wholeNumber(1, 3650),
    fallback: '90',
  }),
  measureSeconds: setting({
    name: 'MEASURE_SECONDS',
    about: 'How often each service is measured, in seconds. A service is down after two measurements in a row without connection.',
    schema: wholeNumber(10, 120),
    fallback: '60',
  }),
  sampleRetentionDays: setting({
    name: 'SAMPLE_RETENTION_DAYS',
    about:
      'How many days the measurements of services are kept. With less than 62 days, the last 30 days cannot be compared with the 30 days before.',
    schema: wholeNumber(2, 3650),
    fallback: '62',
  }),
  metricSampleRetentionDays: setting({
    name: 'METRIC_SAMPLE_RETENTION_DAYS',
    about: 'How many days single samples of metrics are kept: at least 2, because rollups are computed from them.',
    schema: wholeNumber(2, 400),
    fallback: '2',
  }),
  metricMinuteRetentionDays: setting({
    name: 'METRIC_MINUTE_RETENTION_DAYS',
    about: 'How many days the rollups of metrics by the minute are kept.',
    schema: wholeNumber(2, 400),
    fallback: '30',
  }),
  metricRetentionDays: setting({
    name: 'METRIC_RETENTION_DAYS',
    about: 'How many days the rollups of metrics by 15 minutes are kept. The default is more than a year, to compare with the year before.',
    schema: wholeNumber(2, 3650),
    fallback: '400',
  }),
  auditRetentionDays: setting({
    name: 'AUDIT_RETENTION_DAYS',
    about: 'How many days audit records are kept, at least 30. The default is more than a year, because auditors ask for twelve months.',
    schema: wholeNumber(30, 36_500),
    fallback: '400',
  }),
  metricsToken: setting({
    name: 'METRICS_TOKEN',
    about: 'Bearer token that /metrics requires.',
    schema: text.min(16, 'must have at least 16 characters'),
    otherwise: '/metrics responds only to requests from the same machine',
    secret: true,
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    option: 'log-level',
    about: 'Minimum level of log messages: fatal, error, warn, info, debug, trace or silent.',
    schema: z.enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'must be one of fatal, error, warn, info, debug, trace, silent',
    ),
    fallback: 'info',
  }),
  shutdownTimeoutMs: setting({
    name: 'SHUTDOWN_TIMEOUT_MS',
    option: 'shutdown-timeout-ms',
    about: 'How long a shutdown waits for running requests before it aborts them.',
    schema: wholeNumber(0, 600_000),
    fallback: '10000',
  }),
} as const;

export type SettingKey = keyof typeof settings;
