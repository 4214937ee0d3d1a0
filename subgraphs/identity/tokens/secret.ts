import { hash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** A random text that stands for something by itself (refresh tokens, links in mails): 256 bits, URL-safe. */
export const newSecret = (prefix = ''): string => prefix + randomBytes(BYTES).toString('base64url');

/** What is kept of it. A fast hash is right: nobody guesses 256 random bits. */
export const secretDigest = (secret: string): string => hash('sha256', secret, 'hex');
