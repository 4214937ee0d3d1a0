import { ValidateBy } from 'class-validator';

export const ZONE_RULE = 'must be an IANA time zone such as America/New_York';

/** Whether it is a name of the IANA time zone database. Offsets such as `+02:00` are none: they know no summer time. */
export function isTimeZone(name: unknown): name is string {
  if (typeof name !== 'string' || !/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Of an input: the name of a time zone. */
export const IsZone = (): PropertyDecorator => ValidateBy({ name: 'isZone', validator: { validate: isTimeZone } }, { message: ZONE_RULE });
