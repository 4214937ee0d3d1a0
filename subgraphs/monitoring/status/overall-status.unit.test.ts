import { expect, test } from 'vitest';
import { overallStatus } from './overall-status.ts';

test.each([
  ['operational', {}, 0],
  ['operational', { operational: 3, pending: 1, suspended: 2, decommissioned: 5 }, 0],
  ['maintenance', { operational: 3, maintenance: 1 }, 0],
  ['degraded', { operational: 3, maintenance: 1 }, 1],
  ['degraded', { operational: 3, degraded: 1, maintenance: 1 }, 0],
  ['partial_outage', { operational: 2, degraded: 3, down: 1 }, 1],
  ['partial_outage', { operational: 2, down: 1, decommissioned: 9 }, 0],
  ['major_outage', { operational: 1, down: 1 }, 0],
  ['major_outage', { down: 1 }, 0],
])('the overall status is %s for %o and %d open incidents', (status, counts, incidents) => {
  expect(overallStatus(counts, incidents)).toBe(status);
});
