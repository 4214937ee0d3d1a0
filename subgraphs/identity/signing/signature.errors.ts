import { PlatformError } from '../../../kernel/errors/errors.ts';
import { SKEW_SECONDS } from './request-signature.ts';

export type SignatureFault = 'missing' | 'malformed' | 'timestamp' | 'mismatch' | 'replayed' | 'not_signable';

const MESSAGES: Readonly<Record<SignatureFault, string>> = {
  missing: 'Requests with this key must be signed: send X-Timestamp and X-Signature.',
  malformed:
    'X-Timestamp must be the time in Unix seconds, and X-Signature the base64 HMAC-SHA256 of timestamp, method and path, keyed with the signing secret.',
  timestamp: `X-Timestamp is more than ${SKEW_SECONDS} s away from the server's time (details.server_time). Check your clock, and sign each request when you send it.`,
  mismatch:
    'X-Signature is wrong. Sign the timestamp, the method in capitals, and the path with its query, exactly as sent and joined without separators.',
  replayed:
    'This signature was already used. Create a new signature for each request; the timestamp may have a fraction, such as 1767225600.125.',
  not_signable:
    'These credentials have no signing secret, so X-Signature cannot be verified. Omit it, or use an API key that has a signing secret.',
};

/** 401: the signature is refused. The error states the reason, but never the correct signature. */
export class InvalidSignature extends PlatformError {
  readonly reason: string;

  constructor(fault: SignatureFault, details: Readonly<Record<string, unknown>> = {}) {
    super('INVALID_SIGNATURE', MESSAGES[fault], { reason: fault, ...details });
    this.reason = `signature ${fault}`;
  }
}
