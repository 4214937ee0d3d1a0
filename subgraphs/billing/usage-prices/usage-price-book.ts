import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Period } from '../calculation/billing-periods.ts';
import type { UsageMetric } from './usage-metric.states.ts';
import { UsagePrice } from './usage-price.entity.ts';
import { type PricedService, scopesOf } from './usage-scope.ts';

/** The prices of an organization that are valid at any time within a range. */
export class UsagePriceBook {
  readonly #prices: ReadonlyMap<string, readonly UsagePrice[]>;

  constructor(prices: readonly UsagePrice[]) {
    this.#prices = Map.groupBy(prices, ({ scope, metric, currency }) => keyOf(scope, metric, currency));
  }

  /** Reads the prices that apply to the given services. Without `services`, reads the prices of all services. */
  static async read(
    em: EntityManager,
    organizationId: string,
    { start, end }: Period,
    services?: readonly PricedService[],
  ): Promise<UsagePriceBook> {
    const scopes = services && [...new Set(services.flatMap(scopesOf))];
    const prices = await em.find(UsagePrice, {
      organizationId,
      ...(scopes && { scope: { $in: scopes } }),
      validFrom: { $lt: end },
      $or: [{ validUntil: null }, { validUntil: { $gt: start } }],
    });
    return new UsagePriceBook(prices.filter(wasValid));
  }

  /**
   * Returns the price for the usage of a service in a period. Of several prices, the most specific scope wins. It is the price that is
   * valid at the start of the period, otherwise the first price that becomes valid in the period. Null if there is no price.
   */
  priceOf(service: PricedService, metric: UsageMetric, currency: string, period: Period): UsagePrice | null {
    for (const scope of scopesOf(service)) {
      const known = (this.#prices.get(keyOf(scope, metric, currency)) ?? []).filter((price) => overlaps(price, period));
      const [first] = known.toSorted((one, other) => one.validFrom.getTime() - other.validFrom.getTime());
      if (first) return first;
    }
    return null;
  }
}

const keyOf = (scope: string, metric: string, currency: string): string => `${metric} ${currency} ${scope}`;

const wasValid = ({ validFrom, validUntil }: UsagePrice): boolean => !validUntil || validUntil > validFrom;

const overlaps = ({ validFrom, validUntil }: UsagePrice, { start, end }: Period): boolean =>
  validFrom < end && (!validUntil || validUntil > start);
