import { hash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** Creates a random URL-safe secret of 256 bits, for refresh tokens, links in mails and the like. */
export const newSecret = (prefix = ''): string => prefix + randomBytes(BYTES).toString('base64url');

/** Hash under which a secret is stored. A fast hash is right here: 256 random bits cannot be guessed. */
export const secretDigest = (secret: string): string => hash('sha256', secret, 'hex');
