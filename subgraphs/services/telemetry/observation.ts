import type { Service } from '../inventory/service.entity.ts';
import { productOf } from '../products/registry.ts';
import type { Observation, ObservedLink } from '../providers/service.provider.ts';
import { METRICS, type Measurements, type Metric, type Sample, stateOf } from '../samples/sample.ts';

/**
 * Returns the samples of an observation: one of the whole service, and one of each of its sites. The product derives the
 * state of the whole service from the states of the sites. Each measurement of the whole service is the highest value among
 * the sites that are up.
 */
export function samplesOf(
  { id: serviceId, type, configuration }: Service,
  { measuredAt: at, links, transferredBytes }: Observation,
): Sample[] {
  const sites = links.flatMap((link) => (link.siteId === null ? [] : [{ ...link, state: stateOf(link) }]));
  const { stateOfSites } = productOf(type);
  const [only] = links;
  if (!only) return [];
  const securityIncidents = links.reduce((sum, link) => sum + link.securityIncidents, 0);
  const state =
    sites.length > 0 && stateOfSites
      ? stateOfSites(new Map(sites.map((site) => [siteOf(site), site.state])), configuration)
      : stateOf(only);
  const whole: Sample = { serviceId, siteId: '', at, state, ...worst(links), securityIncidents, transferredBytes };
  return [
    whole,
    ...sites.map((site) => ({
      ...measurementsOf(site),
      serviceId,
      siteId: siteOf(site),
      at,
      state: site.state,
      securityIncidents: site.securityIncidents,
      transferredBytes: null,
    })),
  ];
}

const siteOf = ({ siteId }: ObservedLink): string => siteId ?? '';

const measurementsOf = (of: Measurements): Measurements =>
  Object.fromEntries(METRICS.map((metric) => [metric, of[metric]])) as unknown as Measurements;

/** Returns the highest value of each measurement among the connections that are up. A single connection counts even if it is down. */
function worst(links: readonly ObservedLink[]): Measurements {
  const measured = links.length === 1 ? links : links.filter(({ isUp }) => isUp);
  const highest = (metric: Metric): number | null => {
    const values = measured.flatMap((link) => link[metric] ?? []);
    return values.length > 0 ? Math.max(...values) : null;
  };
  return Object.fromEntries(METRICS.map((metric) => [metric, highest(metric)])) as unknown as Measurements;
}
