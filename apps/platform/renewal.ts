import type { Logger } from '../../kernel/log/log.ts';
import type { Platform } from './platform.ts';

/** Reads the certificate of the server anew on SIGHUP, which is what programs that renew certificates send. A bad one is logged and not used. */
export function renewOnHangup(platform: Pick<Platform, 'renewCertificate'>, log: Logger): void {
  process.on('SIGHUP', () => {
    try {
      platform.renewCertificate();
      log.info('The certificate of the server was read anew');
    } catch (error) {
      log.error({ err: error }, 'The certificate of the server could not be read anew; the old one stays');
    }
  });
}
