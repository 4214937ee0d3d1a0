import type { Logger } from '../../kernel/log/log.ts';
import type { Platform } from './platform.ts';

/**
 * Reloads the TLS certificate on SIGHUP, the signal that certificate renewal programs send. An invalid certificate is
 * logged and not used.
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
