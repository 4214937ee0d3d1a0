import { secretKey } from './0001-secret-key.ts';

/** In order. */
export const migrations = [secretKey];
