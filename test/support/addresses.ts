import { randomInt } from 'node:crypto';

/** An address that no other test, and no run before on the same Redis, has used up what it may ask. Send it in X-Forwarded-For. */
export const freshAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
