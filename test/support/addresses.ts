import { randomInt } from 'node:crypto';

/** An address whose rate limit no other test, and no earlier run on the same Redis, has used. Send it in X-Forwarded-For. */
export const freshAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
