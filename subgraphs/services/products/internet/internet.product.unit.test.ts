import { describe, expect, test } from 'vitest';
import { configurationProblems } from '../configuration.ts';
import { internet } from './internet.product.ts';

const wanted = { serviceType: 'fiber', bandwidthMbps: 1000, sla: null, features: [], accountId: null, location: null };

describe('internet product', () => {
  test.each([
    [true, 'standard'],
    ['standard', 'standard'],
    ['advanced', 'advanced'],
    [false, undefined],
    [undefined, undefined],
  ])('for an internet service with monitoring=%j, the provider gets the characteristic monitoring=%s', (monitoring, level) => {
    expect(internet.spec({ ...wanted, configuration: { monitoring } }).characteristics.monitoring).toBe(level);
  });

  test.each([['gold'], [1], [{}], [{ level: 'advanced' }], [['advanced']], [null], ['']])(
    'an internet service with monitoring=%j is refused, and the error lists the allowed values',
    (monitoring) => {
      expect(configurationProblems(internet, { monitoring })).toEqual([
        { field: 'monitoring', value: monitoring, reason: 'must be one of true, false, standard, advanced' },
      ]);
    },
  );
});
