import type { Accounts, RecordScope } from '../access/principal.ts';
import type { DateRange } from '../values/date-range.ts';
import type { Period } from '../values/period.ts';
import type { ServiceType } from '../values/service-type.ts';

/** Maximum number of services that a caller can name. */
export const ANALYZED_SERVICES_MAX = 50;

/**
 * Period, account and services of an analysis. The id of the analysis contains them, so that every domain can add its figures to the entity `AnalyticsScope`
 * without asking another domain.
 */
export interface AnalyticsRange {
  /** The period as the caller requested it, such as the last 30 days. */
  asked: DateRange;
  period: Period;
  /** The period before, with the same number of days. */
  before: Period;
  /** Last day of the period that has ended. If no day has ended yet, this is the day before the first day. */
  lastWholeDay: string;
  timezone: string;
  /** Account of the figures. Null means all accounts that the caller sees. */
  accountId: string | null;
  /** Services of the figures. Null means all services of the accounts. */
  serviceIds: readonly string[] | null;
  /** The type of these services, if the caller selected them by it. */
  type: ServiceType | null;
}

type Coded = readonly [start: number, end: number, firstDay: string, lastDay: string];

const coded = ({ start, end, firstDay, lastDay }: Period): Coded => [start.getTime(), end.getTime(), firstDay, lastDay];
const decoded = ([start, end, firstDay, lastDay]: Coded): Period => ({ start: new Date(start), end: new Date(end), firstDay, lastDay });

/** Returns the id of an analysis. */
export const analyticsId = ({ asked, period, before, lastWholeDay, timezone, accountId, serviceIds, type }: AnalyticsRange): string =>
  Buffer.from(JSON.stringify([asked, coded(period), coded(before), lastWholeDay, timezone, accountId, serviceIds, type])).toString(
    'base64url',
  );

/** Returns the period, account and services of the analysis with an id. The id came from `analyticsId`, through the router. */
export function analyticsRange(id: string): AnalyticsRange {
  const [asked, period, before, lastWholeDay, timezone, accountId, serviceIds, type] = JSON.parse(
    Buffer.from(id, 'base64url').toString(),
  ) as [DateRange, Coded, Coded, string, string, string | null, string[] | null, ServiceType | null];
  return { asked, period: decoded(period), before: decoded(before), lastWholeDay, timezone, accountId, serviceIds, type };
}

/** Returns the accounts whose figures an analysis contains: those of the caller, limited to the account of the analysis. */
export const analyzedAccounts = ({ accountId }: Pick<AnalyticsRange, 'accountId'>, { accounts }: RecordScope): Accounts =>
  accountId === null ? accounts : [accountId].filter((id) => accounts === null || accounts.includes(id));
