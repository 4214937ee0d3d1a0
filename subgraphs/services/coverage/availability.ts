import type { AccessRequirementsInput, Availability, TechnologyAvailability } from './availability.types.ts';
import { formatBandwidth, mbpsOf } from './bandwidth.ts';
import type { CoverageService } from './coverage.service.ts';
import type { CoverageLocationInput } from './location.ts';
import { AccessTechnology, type Reach, TECHNOLOGIES } from './technology.ts';

/**
 * Returns the availability of each requested technology. If no technology is available at the location, returns
 * `serviceable: false`, and throws no error as an order would do.
 */
export async function availabilityOf<Location extends CoverageLocationInput>(
  { location, serviceTypes, bandwidthRequirements }: AccessRequirementsInput & { location: Location },
  coverage: CoverageService,
): Promise<Omit<Availability, 'location'> & { location: Location }> {
  const required = bandwidthRequirements ? mbpsOf(bandwidthRequirements) : undefined;
  const reaches = await coverage.reachesOf(location);
  const asked = serviceTypes?.length ? [...new Set(serviceTypes)] : TECHNOLOGIES;
  return {
    location,
    serviceable: reaches.length > 0,
    services: asked.map((serviceType) => availabilityAmong(reaches, serviceType, required)),
  };
}

export async function fiberAvailabilityOf(location: CoverageLocationInput, coverage: CoverageService): Promise<TechnologyAvailability> {
  return availabilityAmong(await coverage.reachesOf(location), AccessTechnology.FIBER);
}

function availabilityAmong(reaches: readonly Reach[], serviceType: AccessTechnology, required = 1): TechnologyAvailability {
  const maxMbps = reaches.find(({ technology }) => technology === serviceType)?.maxMbps;
  return {
    serviceType,
    available: maxMbps !== undefined && maxMbps >= required,
    bandwidth: maxMbps === undefined ? null : formatBandwidth(maxMbps),
  };
}
