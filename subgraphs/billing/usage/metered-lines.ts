import type { EntityManager } from '../../../kernel/database/database.ts';
import { DAY_MS, dateOf, HOUR_MS } from '../../../kernel/values/days.ts';
import { startOfDay } from '../../../kernel/values/local-time.ts';
import { Decimal, roundTo, sum } from '../../../kernel/values/money.ts';
import { localDay, type Period } from '../calculation/billing-periods.ts';
import { meteredAmount } from '../calculation/rating.ts';
import { METRICS, nameOf, type UsageMetric, unitOf } from '../usage-prices/usage-metric.states.ts';
import { modelOf, type UsagePrice } from '../usage-prices/usage-price.entity.ts';
import { UsagePriceBook } from '../usage-prices/usage-price-book.ts';
import type { PricedService } from '../usage-prices/usage-scope.ts';
import { type BilledPeriod, billedPeriods, type UsedDay, usedDays } from './metered-lines.store.ts';

/** Time after the end of a period before its usage is billed. Late events can arrive in this time. */
const GRACE_MS = HOUR_MS;
/**
 * Number of days before a period in which late usage is looked for. Usage may be 60 days late; more days are read, because the recurring
 * run can be late too.
 */
const LATE_DAYS = 92;

/** Returns the time from which the usage of a period can be billed. */
export const usageCompleteAt = ({ end }: Period): Date => new Date(end.getTime() + GRACE_MS);

/** A finished billing period of a service. `zone` is the time zone of the account; the days of the period are days in this time zone. */
export interface MeteredPeriod {
  organizationId: string;
  serviceId: string;
  period: Period;
  zone: string;
  currency: string;
  /** Name of the usage on the invoice. Default: the name of each metric. */
  name?: string;
}

/** An invoice line for metered usage. Its cost is calculated from the sum of the quantities, and rounded once. */
export interface RatedUsage {
  serviceId: string;
  metric: UsageMetric;
  quantity: Decimal;
  unit: string;
  /** Free quantity of the whole period. */
  included: Decimal;
  /** Price of one unit. Null if the price has tiers or blocks, or if the cost was known when the usage was recorded. */
  unitPrice: Decimal | null;
  amount: Decimal;
  description: string;
  /** First and last day of the usage, in the time zone of the account. */
  firstDay: string;
  lastDay: string;
  /** True if the usage belongs to an earlier period, and arrived after that period was billed. */
  isLate: boolean;
}

/** Metered usage of a service to bill. Pass it to `markBilled` in the same transaction. */
export interface MeteredBill {
  of: MeteredPeriod;
  lines: RatedUsage[];
  /** The days whose usage is billed now. */
  days: readonly UsedDay[];
  /** The billed period, and earlier periods with late usage, each with its values before and after this bill. */
  periods: readonly { before: BilledPeriod | null; after: BilledPeriod }[];
}

/** The usage and the billed periods of services, as read in a transaction. It contains no services without usage and billed periods. */
export type ReadUsage = ReadonlyMap<string, { known: BilledPeriod[]; days: UsedDay[] }>;

/** Reads the data for `meteredLines` for several services of one organization, with two statements. */
export async function readUsage(tx: EntityManager, organizationId: string, periods: readonly Metered[]): Promise<ReadUsage> {
  if (periods.length === 0) return new Map();
  const spans = periods.map(spanOf);
  const serviceIds = [...new Set(periods.map(({ serviceId }) => serviceId))];
  const lateSince = earliest(spans.map((span) => span.lateSince));
  const known = Map.groupBy(await billedPeriods(tx, { organizationId, serviceIds, since: lateSince }), ({ serviceId }) => serviceId);
  const since = earliest([lateSince, ...[...known.values()].flat().map(({ firstDay }) => firstDay)]);
  const until = spans.reduce((last, { lastDay }) => (lastDay > last ? lastDay : last), since);
  const days = Map.groupBy(await usedDays(tx, { organizationId, serviceIds, since, until }), ({ serviceId }) => serviceId);
  return new Map(serviceIds.map((id) => [id, { known: (known.get(id) ?? []).map(withoutService), days: days.get(id) ?? [] }]));
}

export type Metered = Pick<MeteredPeriod, 'serviceId' | 'period' | 'zone'>;

const withoutService = ({ serviceId: _, ...period }: BilledPeriod & { serviceId: string }): BilledPeriod => period;

function spanOf({ period, zone }: Metered): { startDay: string; lastDay: string; lateSince: string } {
  const startDay = localDay(period.start, zone);
  return { startDay, lastDay: localDay(new Date(period.end.getTime() - 1), zone), lateSince: daysAfter(startDay, -LATE_DAYS) };
}

const earliest = (days: readonly string[]): string => days.reduce((first, day) => (day < first ? day : first));

/**
 * Returns the usage of a service in a finished period that must be billed, with one line for each metric that has a price. Usage of earlier
 * periods that arrived after their bill is added as separate lines. An added line costs the current cost of the earlier period, minus its
 * billed cost. Usage whose price was known when it was recorded costs its recorded amount. Usage without a price is free. `read` is the
 * result of `readUsage` in the same transaction.
 */
export async function meteredLines(tx: EntityManager, of: MeteredPeriod, read?: ReadUsage): Promise<MeteredBill> {
  const { organizationId, serviceId, period, zone, currency } = of;
  const { startDay, lastDay, lateSince } = spanOf(of);
  const found = (read ?? (await readUsage(tx, organizationId, [of]))).get(serviceId);
  const known = (found?.known ?? []).filter((one) => one.lastDay >= lateSince);
  // an earlier period is priced as a whole, also if it began long ago
  const since = earliest([lateSince, ...known.map((one) => one.firstDay)]);
  const days = (found?.days ?? []).filter(({ day }) => day >= since && day <= lastDay);
  const current: BilledPeriod = { firstDay: firstDayOf(startDay, known, days), lastDay, currency, billed: {} };
  const hasDays = current.firstDay <= lastDay;
  const start = startOfDay(since, zone);
  const service = days.at(-1);
  const book = service && (await UsagePriceBook.read(tx, organizationId, { start, end: period.end }, [service]));
  const periods = [...known.filter((one) => one.currency === currency), ...(hasDays ? [current] : [])];
  const bills = periods.map((one) => {
    const used = days.filter(({ day }) => (ownerOf(day, known) ?? current) === one);
    return ratedPeriod(one, used, one === current ? null : startDay, { ...of, book });
  });
  const changed = bills.filter(({ days: billed, before, lines }) => before === current || billed.length + lines.length > 0);
  return {
    of,
    lines: changed.flatMap(({ lines }) => lines),
    days: changed.flatMap(({ days: billed }) => billed),
    periods: changed.map(({ before, after }) => ({ before: before === current ? null : before, after })),
  };
}

const daysAfter = (day: string, count: number): string => dateOf(new Date(Date.parse(day) + count * DAY_MS));

const isIn = (day: string, { firstDay, lastDay }: BilledPeriod): boolean => day >= firstDay && day <= lastDay;

/**
 * Returns the billed period to which a day belongs; undefined if there is none. If several periods contain the day, it belongs to the
 * period that begins last, so that the day is billed only once. `known` is ordered by the first day of the periods.
 */
const ownerOf = (day: string, known: readonly BilledPeriod[]): BilledPeriod | undefined => known.findLast((one) => isIn(day, one));

/**
 * Returns the first day whose usage is billed with a period that begins on `startDay`. If the previous period ended within this day, the
 * day belongs to the previous period. Earlier days that belong to no period are added to this period.
 */
function firstDayOf(startDay: string, known: readonly BilledPeriod[], days: readonly UsedDay[]): string {
  const free = known.reduce((first, one) => (isIn(first, one) ? daysAfter(one.lastDay, 1) : first), startDay);
  const skipped = days.find((used) => isFresh(used) && !ownerOf(used.day, known));
  return skipped && skipped.day < free ? skipped.day : free;
}

const isFresh = ({ quantity, billedQuantity }: UsedDay): boolean => quantity.greaterThan(billedQuantity);

interface RatedPeriod {
  before: BilledPeriod;
  after: BilledPeriod;
  lines: RatedUsage[];
  days: UsedDay[];
}

type Rating = MeteredPeriod & { book: UsagePriceBook | undefined };

/** Calculates the cost of the usage on the days of a period. Days before `lateBefore` are late; if `lateBefore` is null, no day is late. */
function ratedPeriod(before: BilledPeriod, used: readonly UsedDay[], lateBefore: string | null, rating: Rating): RatedPeriod {
  const after = { ...before, billed: { ...before.billed } };
  const lines = METRICS.flatMap((metric) => {
    const days = used.filter((day) => day.metric === metric);
    const billed = before.billed[metric];
    const known = knownAmount(days, rating.currency);
    const unbilled = days.filter(isFresh);
    // the previous release bills usage with a known amount as free; it is billed again as a whole
    const isMissed = unbilled.length === 0 && known?.greaterThan(billed?.amount ?? 0);
    const fresh = isMissed ? days.map((day) => ({ ...day, billedQuantity: new Decimal(0) })) : unbilled;
    if (fresh.length === 0) return [];
    const quantity = sum(days.map((day) => day.quantity));
    const price = known ? null : priceFor(fresh, metric, before, rating);
    const total = known ?? (price ? amountOf(price, quantity) : new Decimal(0));
    // a volume price can fall with the quantity, but what was billed is not given back
    const amount = Decimal.max(total.minus(billed?.amount ?? 0), 0);
    const isLate = lateBefore !== null && fresh.some(({ day }) => day < lateBefore);
    after.billed[metric] = { quantity: quantity.toFixed(), amount: amount.plus(billed?.amount ?? 0).toFixed() };
    return known || price ? [lineOf(metric, fresh, { price, amount, isLate, ...rating })] : [];
  });
  return { before, after, lines, days: used.filter(isFresh) };
}

/** Returns the sum of the amounts that were known when the usage was recorded, rounded once. Null if no amount was known. */
function knownAmount(days: readonly UsedDay[], currency: string): Decimal | null {
  const amounts = days.flatMap(({ amount }) => amount ?? []);
  return amounts.length > 0 ? roundTo(sum(amounts), currency) : null;
}

function priceFor(
  [day]: readonly UsedDay[],
  metric: UsageMetric,
  { firstDay, lastDay }: BilledPeriod,
  { book, zone, currency }: Rating,
): UsagePrice | null {
  if (!book || !day) return null;
  const end = startOfDay(daysAfter(lastDay, 1), zone);
  return book.priceOf(day satisfies PricedService, metric, currency, { start: startOfDay(firstDay, zone), end });
}

const amountOf = (price: UsagePrice, quantity: Decimal): Decimal =>
  meteredAmount({ quantity, included: price.included, price: modelOf(price), currency: price.currency });

interface Rated extends Pick<MeteredPeriod, 'serviceId' | 'name'> {
  /** Price of the usage. Null if the amount was known when the usage was recorded. */
  price: UsagePrice | null;
  amount: Decimal;
  isLate: boolean;
}

function lineOf(metric: UsageMetric, fresh: readonly UsedDay[], { price, amount, isLate, serviceId, name }: Rated): RatedUsage {
  const [firstDay, lastDay] = [fresh[0]?.day ?? '', fresh.at(-1)?.day ?? ''];
  const newQuantity = sum(fresh.map(({ quantity, billedQuantity }) => quantity.minus(billedQuantity)));
  const unit = unitOf(metric);
  const when = firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`;
  return {
    ...{ serviceId, metric, quantity: newQuantity, unit, amount },
    ...{ included: price?.included ?? new Decimal(0), unitPrice: price?.unitPrice ?? null },
    ...{ firstDay, lastDay, isLate },
    description: `${name ?? nameOf(metric)}, ${when}: ${newQuantity.toFixed()} ${unit}${isLate ? ', reported late' : ''}`,
  };
}
