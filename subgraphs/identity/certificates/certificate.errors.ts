import { PlatformError } from '../../../kernel/errors/errors.ts';

/**
 * 409: the certificate is already registered. The error names no organization and no status, because certificates are
 * public, but their owners are not.
 */
export class CertificateRegistered extends PlatformError {
  constructor(fingerprint: string) {
    super('DUPLICATE_RESOURCE', 'This certificate is already registered. Issue another certificate with a different key.', { fingerprint });
  }
}
