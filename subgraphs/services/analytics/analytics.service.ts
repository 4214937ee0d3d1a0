import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { Decimal, roundTo } from '../../../kernel/values/money.ts';
import { CatalogReader } from '../catalog/catalog-reader.ts';
import type { Offer } from '../catalog/offer.ts';
import { agreementOf } from '../changes/change-application.ts';
import { planChange } from '../changes/change-plan.ts';
import { priceOf } from '../inventory/price-line.ts';
import type { Service } from '../inventory/service.entity.ts';
import { productOf } from '../products/registry.ts';
import { type MeasuredPeriod, PERIOD_MS } from '../samples/period.ts';
import type { SampleFigures, SampleStore } from '../samples/sample-store.ts';
import type { ServiceAnalytics, ServiceCostAnalysis, ServiceTrends, UsageMetrics } from './analytics.types.ts';
import { formatBytes } from './data-size.ts';

const MONTH_MS = 30 * DAY_MS;
const BYTES_PER_GB = 1_000_000_000;
/** A bandwidth is sufficient if the usage (95th percentile) is at most this share of the bandwidth. The rest is reserved for peaks. */
const COMFORTABLE = 0.8;

export interface AnalyticsServiceDeps {
  em: EntityManager;
  clock: Clock;
  samples: SampleStore;
}

/** Analyzes the usage, costs and trends of a service (specification 2.5). */
export class AnalyticsService {
  constructor(private readonly deps: AnalyticsServiceDeps) {}

  async read(service: Service, period: MeasuredPeriod): Promise<ServiceAnalytics> {
    const { samples, clock, em } = this.deps;
    const end = clock.now();
    const start = new Date(end.getTime() - PERIOD_MS[period]);
    const series = { serviceId: service.id, siteId: '' };
    const [figures, before, offer] = await Promise.all([
      samples.figures(series, { start, end }),
      samples.figures(series, { start: new Date(start.getTime() - PERIOD_MS[period]), end: start }),
      new CatalogReader(em).offerOf(service.catalogId),
    ]);
    return {
      serviceId: service.id,
      period,
      usageMetrics: usageOf(service, figures),
      costAnalysis: costsOf(service, offer, figures, { start, end }),
      trends: trendsOf(figures, before),
    };
  }
}

function usageOf({ bandwidthMbps }: Service, { transferredBytes, latencyMs, bandwidthUtilization }: SampleFigures): UsageMetrics {
  const peak = mbpsAt(bandwidthUtilization.max, bandwidthMbps);
  const latency = latencyMs.avg === null ? null : rounded(latencyMs.avg, 1);
  return {
    totalDataTransferred: transferredBytes === null ? null : formatBytes(transferredBytes),
    totalDataTransferredBytes: transferredBytes,
    peakBandwidthUsage: peak === null ? null : `${peak} Mbps`,
    peakBandwidthUsageMbps: peak,
    averageLatency: latency === null ? null : `${latency} ms`,
    averageLatencyMs: latency,
    totalCalls: null,
    callQualityScore: null,
  };
}

function costsOf(service: Service, offer: Offer, figures: SampleFigures, { start, end }: { start: Date; end: Date }): ServiceCostAnalysis {
  const { provisionedAt, monthlyPrice, currency } = service;
  const since = provisionedAt && provisionedAt > start ? provisionedAt : start;
  const ms = provisionedAt ? Math.max(0, end.getTime() - since.getTime()) : 0;
  const totalCost = roundTo(monthlyPrice.times(ms).dividedBy(MONTH_MS), currency);
  const gigabytes = (figures.transferredBytes ?? 0) / BYTES_PER_GB;
  return {
    totalCost,
    costPerGb: gigabytes > 0 ? totalCost.dividedBy(gigabytes).toDecimalPlaces(4) : null,
    optimizationPotential: potentialOf(service, offer, figures),
    currency,
  };
}

/** Returns the amount that the smallest sufficient bandwidth would save each month; null if this amount is unknown. */
function potentialOf(service: Service, offer: Offer, { bandwidthUtilization: { p95 } }: SampleFigures): Decimal | null {
  const used = mbpsAt(p95, service.bandwidthMbps);
  if (used === null || service.bandwidthMbps === null) return null;
  const enough = offer.bandwidths.find(({ mbps }) => used <= mbps * COMFORTABLE);
  if (!enough || enough.mbps >= service.bandwidthMbps) return new Decimal(0);
  const { priceLines } = planChange(productOf(service.type), offer, agreementOf(service), { bandwidthMbps: enough.mbps });
  const saved = service.monthlyPrice.minus(priceOf(priceLines, service.currency));
  return Decimal.max(saved, 0);
}

const trendsOf = (now: SampleFigures, before: SampleFigures): ServiceTrends => {
  const latency = growth(before.latencyMs.avg, now.latencyMs.avg);
  return {
    usageGrowth: growth(before.transferredBytes, now.transferredBytes),
    performanceImprovement: latency === null ? null : 0 - latency,
  };
};

/** Returns the growth from one value to another in percent. Null if one value is unknown, or if the first value is zero. */
const growth = (before: number | null, now: number | null): number | null =>
  before === null || now === null || before === 0 ? null : rounded(((now - before) / before) * 100, 2);

const mbpsAt = (percent: number | null, bandwidthMbps: number | null): number | null =>
  percent === null || bandwidthMbps === null ? null : rounded((percent / 100) * bandwidthMbps, 1);

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
