import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { CoverageArea, CoverageTechnology } from './coverage.entity.ts';
import { InsufficientBandwidth, LocationNotServiceable, ServiceUnavailableAtLocation } from './coverage.errors.ts';
import type { CoverageLocationInput, ServiceLocation } from './location.ts';
import { type AccessTechnology, type Reach, TECHNOLOGIES } from './technology.ts';

const ZIP_DIGITS = 5;

/** Finds the access technologies that are available at a location, and their maximum bandwidths. */
export class CoverageService {
  constructor(private readonly em: EntityManager) {}

  /**
   * Lists the technologies that are available at a location, in a fixed order. The list is empty if no technology is
   * available.
   * @throws InvalidParameters if the ZIP code is not in the state, because an address with a mistake would send an
   * installer to the wrong place
   */
  async reachesOf({ zip, state }: CoverageLocationInput): Promise<Reach[]> {
    const prefixes = Array.from({ length: ZIP_DIGITS }, (_, index) => zip.slice(0, index + 1));
    const areas = await this.em.find(CoverageArea, { zipPrefix: { $in: prefixes } });
    const [area] = areas.sort((one, other) => other.zipPrefix.length - one.zipPrefix.length);
    if (!area) return [];
    if (state && area.state !== state.toUpperCase()) {
      throw new InvalidParameters([
        { field: 'location.state', value: state, reason: `does not match the ZIP code: ${zip} is in ${area.state}` },
      ]);
    }
    const reaches = await this.em.find(CoverageTechnology, { zipPrefix: area.zipPrefix });
    return reaches
      .map(({ technology, maxMbps }) => ({ technology, maxMbps }))
      .sort((one, other) => TECHNOLOGIES.indexOf(one.technology) - TECHNOLOGIES.indexOf(other.technology));
  }

  /**
   * Checks that a technology is available at a location with at least the bandwidth `mbps`.
   * @throws LocationNotServiceable, ServiceUnavailableAtLocation, InsufficientBandwidth (specification 7)
   */
  async check(technology: AccessTechnology, mbps: number, location: ServiceLocation): Promise<void> {
    const reaches = await this.reachesOf(location);
    if (reaches.length === 0) throw new LocationNotServiceable(location);
    const wanted = reaches.find((reach) => reach.technology === technology);
    if (!wanted) throw new ServiceUnavailableAtLocation(technology, mbps, location, reaches);
    if (wanted.maxMbps < mbps) throw new InsufficientBandwidth(technology, mbps, location, wanted.maxMbps);
  }
}
