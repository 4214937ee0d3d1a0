import type { Allowance } from '../../kernel/access/allowances.ts';
import type { Secrets } from '../../kernel/access/secrets.ts';
import type { Ports } from '../../kernel/domain.ts';
import type { FileStore } from '../../kernel/files/files.ts';
import type { Mailer } from '../../kernel/messages/mail.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { ComponentChecks } from './components/component.sweeper.ts';
import type { KeptDays } from './samples/sample.retention.ts';

/** Dependencies of the monitoring domain, in addition to the dependencies of every domain. */
export interface MonitoringPorts extends Ports {
  /** Number of samples that an organization may send per minute. Default: no limit. */
  sampleAllowance?: Allowance;
  /** Number of days for which samples and rollups are kept. Default: `DEFAULT_KEPT`. */
  kept?: KeptDays;
  /** Number of log entries that an organization may send per minute. Default: no limit. */
  logAllowance?: Allowance;
  /** Number of days for which log entries are kept. Default: 30. */
  logRetentionDays?: number;
  /** Sends the mails of alerts. */
  mailer: Mailer;
  /** True if the platform is a sandbox, in which the time of billing can be later. Default: false. */
  sandbox?: boolean;
  metrics?: Metrics;
  /** Measure the components of the platform. Default: none, so the status of all components is unknown. */
  componentChecks?: ComponentChecks;
  /** Stores the files of reports. */
  files: FileStore;
  /** Signs the addresses of files. */
  secrets: Secrets;
}
