import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { dateOf, dayStart } from '../../../kernel/values/days.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { isInService, type ServiceStatus } from '../inventory/service.states.ts';
import { type LeastAvailableService, type ServicesSummary, SummaryPeriod } from './analytics.types.ts';
import { formatBytes } from './data-size.ts';
import { readUptime, uptimePercent } from './uptime.store.ts';

const DAYS: Readonly<Record<SummaryPeriod, number>> = {
  [SummaryPeriod.LAST_7_DAYS]: 7,
  [SummaryPeriod.LAST_30_DAYS]: 30,
  [SummaryPeriod.LAST_90_DAYS]: 90,
};
const LEAST_AVAILABLE = 5;

export interface ServicesSummaryDeps {
  rows: Rows;
  principal: Principal;
  clock: Clock;
}

interface Selection {
  /** Accounts whose services are counted. Null for all. */
  accounts: readonly string[] | null;
  from: Date;
  to: Date;
}

/** Counts the services that the caller may see, with their prices, uptime and traffic. */
export class ServicesSummaryReader {
  constructor(private readonly deps: ServicesSummaryDeps) {}

  async read(period: SummaryPeriod, accountId?: string | null): Promise<ServicesSummary> {
    const { principal, clock } = this.deps;
    const to = clock.now();
    const from = dayStart(to, 1 - DAYS[period]);
    const accounts = accountId ? [accountId].filter((id) => principal.sees(id)) : principal.accounts;
    const selection = { accounts, from, to };
    const [counts, uptime, bytes] = await Promise.all([this.#counts(selection), this.#uptime(selection), this.#bytes(selection)]);
    return { period, from, to, ...counts, ...uptime, totalDataTransferredBytes: bytes, totalDataTransferred: formatBytes(bytes) };
  }

  async #counts({ accounts }: Selection) {
    const rows = await this.deps.rows.query<CountRow>(
      `select s."status", c."category", s."currency", count(*)::int as "count", sum(s."monthly_price")::text as "price"
       from "services"."service" s join "services"."catalog_service" c on c."id" = s."catalog_id"
       where s."organization_id" = $1 and ($2::text[] is null or s."account_id" = any($2)) group by 1, 2, 3`,
      [this.deps.principal.organizationId, accounts],
    );
    const total = (by: (row: CountRow) => string, of: CountRow[] = rows): [string, CountRow[]][] =>
      [...Map.groupBy(of, by)].toSorted(([one], [other]) => one.localeCompare(other));
    const count = (found: CountRow[]): number => found.reduce((sum, row) => sum + row.count, 0);
    const billed = rows.filter(({ status }) => isInService(status));
    return {
      totalServices: count(rows),
      byStatus: total(({ status }) => status).map(([status, found]) => ({ status: status as ServiceStatus, count: count(found) })),
      byCategory: total(({ category }) => category).map(([category, found]) => ({ category, count: count(found) })),
      monthlyPrices: total(({ currency }) => currency, billed).map(([currency, found]) => ({
        currency,
        amount: found.reduce((sum, { price }) => sum.plus(price), new Decimal(0)),
      })),
    };
  }

  async #uptime({ accounts, from, to }: Selection): Promise<Pick<ServicesSummary, 'uptimePercentage' | 'leastAvailable'>> {
    const { rows, principal } = this.deps;
    const selection = { organizationId: principal.organizationId, accounts, serviceIds: null, from, to };
    const { upMs, downMs, least } = await readUptime(rows, selection, { limit: LEAST_AVAILABLE });
    const leastAvailable = least.map(
      ({ upMs: up, downMs: down, ...service }): LeastAvailableService => ({ ...service, uptimePercentage: uptimePercent(up, down) ?? 0 }),
    );
    return { uptimePercentage: uptimePercent(upMs, downMs), leastAvailable };
  }

  async #bytes({ accounts, from }: Selection): Promise<number> {
    const [row] = await this.deps.rows.query<{ bytes: number | null }>(
      `select sum(d."transferred_bytes")::float8 as "bytes" from "services"."service_sample_day" d
       where d."organization_id" = $1 and d."day" >= $3::date and ($2::text[] is null or exists (
         select from "services"."service" s where s."id" = d."service_id" and s."account_id" = any($2)))`,
      [this.deps.principal.organizationId, accounts, dateOf(from)],
    );
    return row?.bytes ?? 0;
  }
}

interface CountRow {
  status: ServiceStatus;
  category: string;
  currency: string;
  count: number;
  price: string;
}
