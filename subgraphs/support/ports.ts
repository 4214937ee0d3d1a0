import type { Secrets } from '../../kernel/access/secrets.ts';
import type { Ports } from '../../kernel/domain.ts';
import type { FileStore } from '../../kernel/files/files.ts';
import type { Mailer } from '../../kernel/messages/mail.ts';
import type { SmsSender } from '../../kernel/messages/sms.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';

/** Dependencies of the support domain, in addition to the dependencies of every domain. */
export interface SupportPorts extends Ports {
  secrets: Secrets;
  /** True if integrations may send requests to private network addresses. Only development and tests should set this to true. */
  allowPrivateUrls: boolean;
  mailer: Mailer;
  sms: SmsSender;
  /** Stores attachments and report files. */
  files: FileStore;
  /** Number of days for which the text of notifications is kept. */
  notificationRetentionDays: number;
  metrics?: Metrics;
}
