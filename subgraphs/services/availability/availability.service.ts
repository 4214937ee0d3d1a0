import type { CarrierReader, LocalCarrier } from '../carriers/carrier-reader.ts';
import type { CatalogReader } from '../catalog/catalog-reader.ts';
import { formatBandwidth, mbpsOf } from '../coverage/bandwidth.ts';
import type { CoverageService } from '../coverage/coverage.service.ts';
import type { CoverageLocationInput } from '../coverage/location.ts';
import { AccessTechnology, type Reach, TECHNOLOGIES } from '../coverage/technology.ts';
import type { AccessRequirementsInput, Availability, TechnologyAvailability } from './availability.types.ts';

export interface AvailabilityServiceDeps {
  coverage: CoverageService;
  catalog: CatalogReader;
  carriers: CarrierReader;
}

/** The properties of a location from which availability is computed. */
interface Site {
  reaches: readonly Reach[];
  carriers: readonly LocalCarrier[];
  /** Ids of the catalog services by access technology. */
  catalogIds: ReadonlyMap<string, string>;
}

/** Checks which access technologies are available at a location (specification 4.3). */
export class AvailabilityService {
  constructor(private readonly deps: AvailabilityServiceDeps) {}

  /**
   * Returns the availability of each requested technology, and the technologies that can replace unavailable technologies. If no technology
   * is available at the location, the result has `serviceable: false`, whereas an order for the location throws an error.
   * @throws InvalidParameters if the ZIP code is not in the state
   */
  async check<Location extends CoverageLocationInput>({
    location,
    serviceTypes,
    bandwidthRequirements,
  }: AccessRequirementsInput & { location: Location }): Promise<Omit<Availability, 'location'> & { location: Location }> {
    const required = bandwidthRequirements ? mbpsOf(bandwidthRequirements) : 1;
    const site = await this.#siteAt(location);
    const asked = serviceTypes?.length ? [...new Set(serviceTypes)] : TECHNOLOGIES;
    const services = asked.map((technology) => availabilityOf(technology, site, required));
    const others = TECHNOLOGIES.filter((technology) => !asked.includes(technology));
    const alternatives = services.every(({ available }) => available)
      ? []
      : others.map((technology) => availabilityOf(technology, site, required)).filter(({ available }) => available);
    return { location, serviceable: site.reaches.length > 0, services, alternatives };
  }

  /** Returns the availability of fiber at a location. */
  async fiber(location: CoverageLocationInput): Promise<TechnologyAvailability> {
    return availabilityOf(AccessTechnology.FIBER, await this.#siteAt(location), 1);
  }

  async #siteAt(location: CoverageLocationInput): Promise<Site> {
    const { coverage, catalog, carriers } = this.deps;
    const { zipPrefix, reaches } = await coverage.coverageAt(location);
    const offered = await catalog.orderable('internet');
    return {
      reaches,
      carriers: zipPrefix === null ? [] : await carriers.inArea(zipPrefix),
      catalogIds: new Map(offered.map(({ id, serviceType }) => [serviceType as string, id])),
    };
  }
}

function availabilityOf(technology: AccessTechnology, { reaches, carriers, catalogIds }: Site, required: number): TechnologyAvailability {
  const maxMbps = reaches.find((reach) => reach.technology === technology)?.maxMbps;
  return {
    serviceType: technology,
    available: maxMbps !== undefined && maxMbps >= required,
    bandwidth: maxMbps === undefined ? null : formatBandwidth(maxMbps),
    catalogId: catalogIds.get(technology) ?? null,
    providers: carriers
      .filter(({ technologies }) => technologies.includes(technology))
      .map(({ carrier: { id, name, installationDays } }) => ({ carrierId: id, name, installationDays })),
  };
}
