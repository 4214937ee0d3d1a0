import { secretKey } from './0001-secret-key.ts';
import { hashKeys } from './0002-hash-keys.ts';

/** The migrations in order. */
export const migrations = [secretKey, hashKeys];
