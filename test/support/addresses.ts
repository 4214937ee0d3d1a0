import { randomInt } from 'node:crypto';

/**
 * A random address for X-Forwarded-For. Its rate limit is not used by other tests or by earlier runs on the same Redis.
 */
export const freshAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
