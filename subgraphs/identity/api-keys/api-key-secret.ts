import { hash, randomBytes } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 64;
const LIVE_PREFIX = 'sk_live_';
const TEST_PREFIX = 'test_sk_';
const API_KEY = /^(sk_live_|test_sk_)[A-Za-z0-9]{64}$/;
const KEY_LENGTH = LIVE_PREFIX.length + LENGTH;
/**
 * Limit for random bytes. Bytes of this value or more are skipped, because they would make the first letters of the alphabet more likely
 * than the rest.
 */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

/**
 * Generates a key: `sk_live_` (`test_sk_` in a sandbox) and 64 random letters and digits, 381 bits (specification 2.2).
 */
export function generateApiKey(sandbox: boolean): string {
  let secret = '';
  while (secret.length < LENGTH) {
    for (const byte of randomBytes(LENGTH)) if (byte < FAIR_BYTES) secret += ALPHABET[byte % ALPHABET.length];
  }
  return prefixOf(sandbox) + secret.slice(0, LENGTH);
}

/**
 * Checks whether a text has the form of a live or test key. Checks the length first, so that a long text takes no longer.
 */
export const isApiKey = (text: string): boolean => text.length === KEY_LENGTH && API_KEY.test(text);
export const isSandboxKey = (key: string): boolean => key.startsWith(TEST_PREFIX);
export const prefixOf = (sandbox: boolean): string => (sandbox ? TEST_PREFIX : LIVE_PREFIX);

/**
 * Returns the hash under which a key is stored. Every request computes this hash, so it must be fast. A fast hash is
 * safe here, because the 381 random bits of a key cannot be guessed.
 */
export const digestOf = (key: string): string => hash('sha256', key, 'hex');
