import { describe, expect, test } from 'vitest';
import type { EntityManager } from '../../../../kernel/database/database.ts';
import { LocationNotServiceable, ServiceUnavailableAtLocation } from '../../coverage/coverage.errors.ts';
import { CoverageService, type CoveredRow } from '../../coverage/coverage.service.ts';
import { AccessTechnology } from '../../coverage/technology.ts';
import { configurationProblems } from '../configuration.ts';
import { internet } from './internet.product.ts';

const wanted = { serviceType: 'fiber', bandwidthMbps: 1000, sla: null, features: [], accountId: null, location: null };

/** Coverage with one area for all ZIP codes, or none. */
class OneArea extends CoverageService {
  constructor(private readonly area?: CoveredRow) {
    super({} as EntityManager);
  }

  protected override covered(): Promise<CoveredRow | undefined> {
    return Promise.resolve(this.area);
  }
}

describe('internet product', () => {
  test('the coverage of an internet service without a bandwidth is checked too, and any bandwidth at its location is sufficient', async () => {
    const location = { address: '1 Main Street', city: 'New York', state: 'NY', zip: '10118' };
    const check = (area?: CoveredRow) =>
      internet.check?.(
        { ...wanted, bandwidthMbps: null, location, configuration: {} },
        { services: () => Promise.resolve([]), coverage: new OneArea(area) },
      );
    const having = (technology: AccessTechnology): CoveredRow => ({ zip_prefix: '101', state: 'NY', reaches: [[technology, 1]] });
    await expect(check()).rejects.toThrow(LocationNotServiceable);
    await expect(check(having(AccessTechnology.DSL))).rejects.toThrow(ServiceUnavailableAtLocation);
    await expect(check(having(AccessTechnology.FIBER))).resolves.toBeUndefined();
  });

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
