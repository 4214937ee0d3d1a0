import { expect, test } from 'vitest';
import { isTimeZone } from './zones.ts';

test('a time zone is valid only if its name is in the IANA time zone database', () => {
  expect(['Europe/Berlin', 'UTC', 'america/new_york', 'Etc/GMT+5'].map(isTimeZone)).toEqual([true, true, true, true]);
  expect(['+02:00', '-0500', 'Mars/Olympus', '', 7, null].map(isTimeZone)).toEqual([false, false, false, false, false, false]);
});
