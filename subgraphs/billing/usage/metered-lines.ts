import type { EntityManager } from '../../../kernel/database/database.ts';
import { DAY_MS, dateOf, HOUR_MS } from '../../../kernel/values/days.ts';
import { Decimal, sum } from '../../../kernel/values/money.ts';
import { localDay, type Period } from '../calculation/billing-periods.ts';
import { startOfDay } from '../calculation/local-time.ts';
import { meteredAmount } from '../calculation/rating.ts';
import { METRICS, nameOf, type UsageMetric, unitOf } from '../usage-prices/usage-metric.states.ts';
import { modelOf, type UsagePrice } from '../usage-prices/usage-price.entity.ts';
import { UsagePriceBook } from '../usage-prices/usage-price-book.ts';
import type { PricedService } from '../usage-prices/usage-scope.ts';
import { type BilledMetric, type BilledPeriod, billedPeriods, type UsedDay, usedDays } from './metered-lines.store.ts';

/** How long the usage of a period waits for late events before it is billed. */
const GRACE_MS = HOUR_MS;
/** Usage may be 60 days late. Some more days are read, in case that the run is late too. */
const LATE_DAYS = 92;

/** Returns the time from which the usage of a period can be billed. */
export const usageCompleteAt = ({ end }: Period): Date => new Date(end.getTime() + GRACE_MS);

/** A finished billing period of a service. `zone` is the time zone of the account, in which the period's days are. */
export interface MeteredPeriod {
  organizationId: string;
  serviceId: string;
  period: Period;
  zone: string;
  currency: string;
}

/** A line of an invoice for metered usage. Its quantity is summed first, and then priced and rounded once. */
export interface RatedUsage {
  serviceId: string;
  metric: UsageMetric;
  quantity: Decimal;
  unit: string;
  /** Quantity of the whole period that costs nothing. */
  included: Decimal;
  /** Price of one unit. Null if the price has tiers or blocks. */
  unitPrice: Decimal | null;
  amount: Decimal;
  description: string;
  /** First and last day of the usage, in the time zone of the account. */
  firstDay: string;
  lastDay: string;
  /** True if the usage belongs to an earlier period, and arrived after that period was billed. */
  isLate: boolean;
}

/** What is to be billed of the usage of a service. Pass it to `markBilled` in the same transaction. */
export interface MeteredBill {
  of: MeteredPeriod;
  lines: RatedUsage[];
  /** The days whose usage is billed now. */
  days: readonly UsedDay[];
  /** The period, and the earlier periods that have late usage, after this bill. */
  periods: readonly { before: BilledPeriod | null; after: BilledPeriod }[];
}

/**
 * Returns what of a service's usage in a finished period is to be billed: one line for each metric with a price. Usage of
 * earlier periods that arrived after their bill is added as separate lines. Each costs what its period costs now, minus what was
 * billed. Usage without a price is free.
 */
export async function meteredLines(tx: EntityManager, of: MeteredPeriod): Promise<MeteredBill> {
  const { organizationId, serviceId, period, zone, currency } = of;
  const [firstDay, lastDay] = [localDay(period.start, zone), localDay(new Date(period.end.getTime() - 1), zone)];
  const since = dateOf(new Date(Date.parse(firstDay) - LATE_DAYS * DAY_MS));
  const days = await usedDays(tx, { organizationId, serviceId, since, until: lastDay });
  const known = await billedPeriods(tx, { organizationId, serviceId, since });
  const current: BilledPeriod = { firstDay, lastDay, currency, billed: {} };
  const isKnown = known.some((one) => one.firstDay === firstDay);
  const start = startOfDay(since, zone);
  const service = days.at(-1);
  const book = service && (await UsagePriceBook.read(tx, organizationId, { start, end: period.end }, [service]));
  const periods = [...known.filter((one) => one.currency === currency), ...(isKnown ? [] : [current])];
  const bills = periods.map((one) => {
    const used = days.filter((day) => isIn(day, one) || (one === current && !known.some((other) => isIn(day, other))));
    return ratedPeriod(one, used, one.firstDay !== firstDay, { ...of, book });
  });
  const changed = bills.filter(({ days: billed, before }) => before === current || billed.length > 0);
  return {
    of,
    lines: changed.flatMap(({ lines }) => lines),
    days: changed.flatMap(({ days: billed }) => billed),
    periods: changed.map(({ before, after }) => ({ before: before === current ? null : before, after })),
  };
}

const isIn = ({ day }: UsedDay, { firstDay, lastDay }: BilledPeriod): boolean => day >= firstDay && day <= lastDay;

interface RatedPeriod {
  before: BilledPeriod;
  after: BilledPeriod;
  lines: RatedUsage[];
  days: UsedDay[];
}

type Rating = MeteredPeriod & { book: UsagePriceBook | undefined };

function ratedPeriod(before: BilledPeriod, used: readonly UsedDay[], isLate: boolean, rating: Rating): RatedPeriod {
  const after = { ...before, billed: { ...before.billed } };
  const lines = METRICS.flatMap((metric) => {
    const days = used.filter((day) => day.metric === metric);
    const fresh = days.filter(({ quantity, billedQuantity }) => quantity.greaterThan(billedQuantity));
    if (fresh.length === 0) return [];
    const quantity = sum(days.map((day) => day.quantity));
    const billed = before.billed[metric];
    const price = priceFor(fresh, metric, before, rating);
    const total = price ? amountOf(price, quantity) : new Decimal(0);
    // a volume price can fall with the quantity, but what was billed is not given back
    const amount = Decimal.max(total.minus(billed?.amount ?? 0), 0);
    after.billed[metric] = { quantity: quantity.toFixed(), amount: amount.plus(billed?.amount ?? 0).toFixed() };
    return price ? [lineOf(metric, fresh, { price, amount, billed, quantity, isLate, serviceId: rating.serviceId })] : [];
  });
  return { before, after, lines, days: used.filter(({ quantity, billedQuantity }) => quantity.greaterThan(billedQuantity)) };
}

function priceFor(
  [day]: readonly UsedDay[],
  metric: UsageMetric,
  { firstDay, lastDay }: BilledPeriod,
  { book, zone, currency }: Rating,
): UsagePrice | null {
  if (!book || !day) return null;
  const end = startOfDay(dateOf(new Date(Date.parse(lastDay) + DAY_MS)), zone);
  return book.priceOf(day satisfies PricedService, metric, currency, { start: startOfDay(firstDay, zone), end });
}

const amountOf = (price: UsagePrice, quantity: Decimal): Decimal =>
  meteredAmount({ quantity, included: price.included, price: modelOf(price), currency: price.currency });

interface Rated {
  price: UsagePrice;
  amount: Decimal;
  billed: BilledMetric | undefined;
  quantity: Decimal;
  isLate: boolean;
  serviceId: string;
}

function lineOf(metric: UsageMetric, fresh: readonly UsedDay[], { price, amount, billed, quantity, isLate, serviceId }: Rated): RatedUsage {
  const [firstDay, lastDay] = [fresh[0]?.day ?? '', fresh.at(-1)?.day ?? ''];
  const newQuantity = quantity.minus(billed?.quantity ?? 0);
  const unit = unitOf(metric);
  const when = firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`;
  return {
    ...{ serviceId, metric, quantity: newQuantity, unit, included: price.included, unitPrice: price.unitPrice, amount },
    ...{ firstDay, lastDay, isLate },
    description: `${nameOf(metric)}, ${when}: ${newQuantity.toFixed()} ${unit}${isLate ? ', reported late' : ''}`,
  };
}
