import { hash, randomBytes } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 64;
const LIVE_PREFIX = 'sk_live_';
const TEST_PREFIX = 'test_sk_';
const API_KEY = /^(sk_live_|test_sk_)[A-Za-z0-9]{64}$/;
const KEY_LENGTH = LIVE_PREFIX.length + LENGTH;
/** Bytes from here on would make the first letters of the alphabet likelier than the rest. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

/** `sk_live_`, in a sandbox `test_sk_`, and 64 random letters and digits (specification 2.2): 381 bits. */
export function generateApiKey(sandbox: boolean): string {
  let secret = '';
  while (secret.length < LENGTH) {
    for (const byte of randomBytes(LENGTH)) if (byte < FAIR_BYTES) secret += ALPHABET[byte % ALPHABET.length];
  }
  return prefixOf(sandbox) + secret.slice(0, LENGTH);
}

/** Whether a text has the form of a key, of either kind. Costs the same however long the text is. */
export const isApiKey = (text: string): boolean => text.length === KEY_LENGTH && API_KEY.test(text);
export const isSandboxKey = (key: string): boolean => key.startsWith(TEST_PREFIX);
export const prefixOf = (sandbox: boolean): string => (sandbox ? TEST_PREFIX : LIVE_PREFIX);

/** What is kept of a key. A fast hash is right here: nobody guesses 381 random bits, and it is made for every request. */
export const digestOf = (key: string): string => hash('sha256', key, 'hex');
