import type { Secrets } from '../../kernel/access/secrets.ts';
import type { Ports } from '../../kernel/domain.ts';
import type { FileStore } from '../../kernel/files/files.ts';
import type { Mailer } from '../../kernel/messages/mail.ts';
import type { SmsSender } from '../../kernel/messages/sms.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';

/** What support is given to work with, beside what every domain is. */
export interface SupportPorts extends Ports {
  secrets: Secrets;
  /** Whether integrations may be at private addresses: for development. */
  allowPrivateUrls: boolean;
  mailer: Mailer;
  sms: SmsSender;
  /** Where attachments and reports lie. */
  files: FileStore;
  /** How long it is kept what notifications say. */
  notificationRetentionDays: number;
  metrics?: Metrics;
}
