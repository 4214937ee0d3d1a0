import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RequestSigning } from '../../../kernel/access/credentials.ts';

/**
 * Maximum difference between the clocks of client and platform, in seconds. A used signature is stored for this time
 * after its timestamp.
 */
export const SKEW_SECONDS = 300;
const MAC_BYTES = 32;
const TIMESTAMP = /^\d{1,12}(\.\d{1,9})?$/;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Returns the HMAC-SHA256 of timestamp, method and path without separators, for example of
 * `1767225600GET/v1/services?page=2`.
 */
export function macOf({ method, path }: Pick<RequestSigning, 'method' | 'path'>, timestamp: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}${method}${path}`).digest();
}

/** Parses the timestamp and signature headers. Returns undefined if a header is missing or malformed. */
export function parseSigning({ timestamp, signature }: RequestSigning): { timestamp: string; seconds: number; mac: Buffer } | undefined {
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) return undefined;
  if (typeof signature !== 'string' || !BASE64.test(signature)) return undefined;
  const mac = Buffer.from(signature, 'base64');
  return mac.length === MAC_BYTES ? { timestamp, seconds: Number(timestamp), mac } : undefined;
}

/** Compares two signatures in constant time. */
export const isSame = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);
