import type { EntityManager } from '../../../kernel/database/database.ts';
import type { BilledPeriod, UsedDay } from './metered-lines.store.ts';
import { type MeteredBill, type MeteredPeriod, meteredLines, readUsage } from './metered-lines.ts';

/**
 * Computes the bills of metered usage of one organization without storing them. Each bill takes into account what the bills before it
 * have billed, as with `UsageBilling`.
 */
export class UsageForecast {
  /** The usage that was billed, by service, metric and day. */
  readonly #billed = new Map<string, UsedDay>();
  /** The periods that were billed, by service. */
  readonly #periods = new Map<string, BilledPeriod[]>();

  constructor(private readonly tx: EntityManager) {}

  async bill(of: MeteredPeriod): Promise<MeteredBill> {
    const { organizationId, serviceId } = of;
    const stored = (await readUsage(this.tx, organizationId, [of])).get(serviceId) ?? { known: [], days: [] };
    const periods = this.#periods.get(serviceId) ?? [];
    const days = stored.days.map((day) => ({ ...day, billedQuantity: this.#billed.get(keyOf(day))?.quantity ?? day.billedQuantity }));
    const others = stored.known.filter(({ firstDay }) => !periods.some((one) => one.firstDay === firstDay));
    const known = [...others, ...periods].sort((one, other) => one.firstDay.localeCompare(other.firstDay));
    const bill = await meteredLines(this.tx, of, new Map([[serviceId, { known, days }]]));
    for (const day of bill.days) this.#billed.set(keyOf(day), day);
    const changed = bill.periods.map(({ after }) => after);
    const same = periods.filter(({ firstDay }) => !changed.some((one) => one.firstDay === firstDay));
    this.#periods.set(serviceId, [...same, ...changed]);
    return bill;
  }
}

const keyOf = ({ serviceId, metric, day }: UsedDay): string => `${serviceId} ${metric} ${day}`;
