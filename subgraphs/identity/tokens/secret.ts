import { hash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** Creates a random URL-safe secret of 256 bits, for example for refresh tokens and links in mails. */
export const newSecret = (prefix = ''): string => prefix + randomBytes(BYTES).toString('base64url');

/** Returns the hash under which a secret is stored. A fast hash is safe, because 256 random bits cannot be guessed. */
export const secretDigest = (secret: string): string => hash('sha256', secret, 'hex');
