import type { Logger } from '../../kernel/log/log.ts';
import type { Platform } from './platform.ts';

/**
 * Reloads the TLS certificate on SIGHUP, the signal that certificate renewal programs send. If the new certificate is
 * invalid, logs an error and keeps the old certificate.
 */
export function renewOnHangup(platform: Pick<Platform, 'renewCertificate'>, log: Logger): void {
  process.on('SIGHUP', () => {
    try {
      platform.renewCertificate();
      log.info('The TLS certificate was reloaded');
    } catch (error) {
      log.error({ err: error }, 'The TLS certificate could not be reloaded; the old one stays in use');
    }
  });
}
