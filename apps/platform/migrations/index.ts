import { secretKey } from './0001-secret-key.ts';
import { hashKeys } from './0002-hash-keys.ts';

/** Migrations in the order in which they are applied. */
export const migrations = [secretKey, hashKeys];
