import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409. The same whoever registered it, and whether it was revoked since: certificates are public, so whose it is must not be. */
export class CertificateRegistered extends PlatformError {
  constructor(fingerprint: string) {
    super('DUPLICATE_RESOURCE', 'This certificate is registered already. Issue another one, with a key of its own.', { fingerprint });
  }
}
