import type { Rows } from '../database/database.ts';
import { InvalidParameters } from '../errors/errors.ts';

export const ZONE_RULE = 'must be an IANA time zone such as America/New_York';

/**
 * Returns true if a value is the name of a time zone in the IANA database, such as `Europe/Berlin`. Offsets such as
 * `+02:00` are invalid, because they have no daylight saving time.
 */
export function isTimeZone(name: unknown): name is string {
  if (typeof name !== 'string' || !/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const UNKNOWN_ZONE = '22023';

/**
 * Checks that the database supports a time zone, for queries that group by time zone.
 * @throws InvalidParameters with the field, if the database does not support the time zone
 */
export async function requireZone(rows: Rows, timezone: string, field: string): Promise<void> {
  try {
    await rows.query('select now() at time zone $1 as "there"', [timezone]);
  } catch (error) {
    if ((error as { code?: string }).code !== UNKNOWN_ZONE) throw error;
    throw new InvalidParameters([{ field, value: timezone, reason: ZONE_RULE }]);
  }
}
