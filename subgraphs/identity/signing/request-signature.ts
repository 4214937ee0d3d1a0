import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RequestSigning } from '../../../kernel/access/credentials.ts';

/** How far the clocks of two machines may differ; a signature is remembered for as long. */
export const SKEW_SECONDS = 300;
const MAC_BYTES = 32;
const TIMESTAMP = /^\d{1,12}(\.\d{1,9})?$/;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

/** HMAC-SHA256 over the timestamp, the method and the path, one after the other: `1767225600GET/v1/services?page=2`. */
export function macOf({ method, path }: Pick<RequestSigning, 'method' | 'path'>, timestamp: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}${method}${path}`).digest();
}

/** The two headers in their forms; undefined where one is missing or has another. */
export function parseSigning({ timestamp, signature }: RequestSigning): { timestamp: string; seconds: number; mac: Buffer } | undefined {
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) return undefined;
  if (typeof signature !== 'string' || !BASE64.test(signature)) return undefined;
  const mac = Buffer.from(signature, 'base64');
  return mac.length === MAC_BYTES ? { timestamp, seconds: Number(timestamp), mac } : undefined;
}

/** In a time that tells nothing of how much of it is right. */
export const isSame = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);
