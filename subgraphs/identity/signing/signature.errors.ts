import { PlatformError } from '../../../kernel/errors/errors.ts';
import { SKEW_SECONDS } from './request-signature.ts';

export type SignatureFault = 'missing' | 'malformed' | 'timestamp' | 'mismatch' | 'replayed' | 'not_signable';

const MESSAGES: Readonly<Record<SignatureFault, string>> = {
  missing: 'Requests with this key must be signed: send X-Timestamp and X-Signature.',
  malformed:
    'X-Timestamp must hold the time in Unix seconds, and X-Signature the base64 HMAC-SHA256 of timestamp, method and path, keyed with the signing secret.',
  timestamp: `X-Timestamp is more than ${SKEW_SECONDS} s away from the time here, which is details.server_time. Sign each request when you send it.`,
  mismatch:
    'X-Signature does not fit. Sign the timestamp as sent, the method in capitals and the path with its query as sent, with nothing between.',
  replayed: 'This signature was used before. Sign each request anew: the timestamp may have a fraction, such as 1767225600.125.',
  not_signable: 'These credentials have no signing secret, so X-Signature proves nothing. Leave it out, or use an API key that has one.',
};

/** 401. Says what is wrong, and never what the signature should have been. */
export class InvalidSignature extends PlatformError {
  readonly reason: string;

  constructor(fault: SignatureFault, details: Readonly<Record<string, unknown>> = {}) {
    super('INVALID_SIGNATURE', MESSAGES[fault], { reason: fault, ...details });
    this.reason = `signature ${fault}`;
  }
}
