import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { shortRead } from '../../../kernel/records/short-read.ts';
import { CoverageArea } from './coverage.entity.ts';
import { InsufficientBandwidth, LocationNotServiceable, ServiceUnavailableAtLocation } from './coverage.errors.ts';
import { coverageMapOf } from './coverage-map.ts';
import type { CoverageMap, CoverageMapFilter } from './coverage-map.types.ts';
import type { CoverageLocationInput, ServiceLocation } from './location.ts';
import { type AccessTechnology, type Reach, TECHNOLOGIES } from './technology.ts';

export const ZIP_DIGITS = 5;

/** The technologies that are available at a location, and the ZIP prefix of its coverage area. */
export interface LocalCoverage {
  zipPrefix: string | null;
  reaches: Reach[];
}

export interface CoveredRow {
  zip_prefix: string;
  state: string;
  reaches: readonly [technology: AccessTechnology, maxMbps: number][];
}

/**
 * Returns the SQL of the statement that reads the coverage area of a ZIP code and its technologies. Orders run this
 * statement often, so it does not use the ORM and does not read the outline that the map shows (`CoverageArea.ring`).
 * `prefixes` is an SQL list of the prefixes of the ZIP code.
 */
export const coveredBy = (prefixes: string): string => `
  select a."zip_prefix", a."state", coalesce((select json_agg(json_build_array(t."technology", t."max_mbps"))
    from "services"."coverage_technology" t where t."zip_prefix" = a."zip_prefix"), '[]') as "reaches"
  from "services"."coverage_area" a where a."zip_prefix" in (${prefixes}) order by length(a."zip_prefix") desc limit 1`;
const COVERED = coveredBy('?, ?, ?, ?, ?');

const prefixesOf = (zip: string): string[] => Array.from({ length: ZIP_DIGITS }, (_, index) => zip.slice(0, index + 1));

/** Finds the access technologies that are available at a location, and their maximum bandwidths. */
export class CoverageService {
  constructor(protected readonly em: EntityManager) {}

  /**
   * Finds the coverage area of a location and the technologies that are available there, in a fixed order. Without an area, no technology
   * is available.
   * @throws InvalidParameters if the ZIP code is not in the state. With a wrong address, an installer would go to the wrong place
   */
  async coverageAt({ zip, state }: CoverageLocationInput): Promise<LocalCoverage> {
    const area = await this.covered(zip);
    if (!area) return { zipPrefix: null, reaches: [] };
    if (state && area.state !== state.toUpperCase()) {
      throw new InvalidParameters([
        { field: 'location.state', value: state, reason: `does not match the ZIP code: ${zip} is in ${area.state}` },
      ]);
    }
    const reaches = area.reaches.map(([technology, maxMbps]) => ({ technology, maxMbps }));
    reaches.sort((one, other) => TECHNOLOGIES.indexOf(one.technology) - TECHNOLOGIES.indexOf(other.technology));
    return { zipPrefix: area.zip_prefix, reaches };
  }

  /** Reads the area of a ZIP code and its technologies with one statement. */
  protected async covered(zip: string): Promise<CoveredRow | undefined> {
    const [area] = await shortRead<[string, string, CoveredRow['reaches']]>(this.em, COVERED, prefixesOf(zip));
    return area && { zip_prefix: area[0], state: area[1], reaches: area[2] };
  }

  /** Returns the coverage area with the longest prefix of a ZIP code. Null if no prefix matches. */
  async areaOf(zip: string): Promise<CoverageArea | null> {
    const areas = await this.em.find(CoverageArea, { zipPrefix: { $in: prefixesOf(zip) } });
    return areas.sort((one, other) => other.zipPrefix.length - one.zipPrefix.length)[0] ?? null;
  }

  /**
   * Returns the coverage map.
   * @throws InvalidParameters if it has too many areas
   */
  map(filter: CoverageMapFilter): Promise<CoverageMap> {
    return coverageMapOf(this.em, filter);
  }

  /**
   * Checks that a technology is available at a location with at least the bandwidth `mbps`.
   * @throws LocationNotServiceable, ServiceUnavailableAtLocation, InsufficientBandwidth (specification 7)
   */
  async check(technology: AccessTechnology, mbps: number, location: ServiceLocation): Promise<void> {
    const { reaches } = await this.coverageAt(location);
    if (reaches.length === 0) throw new LocationNotServiceable(location);
    const wanted = reaches.find((reach) => reach.technology === technology);
    if (!wanted) throw new ServiceUnavailableAtLocation(technology, mbps, location, reaches);
    if (wanted.maxMbps < mbps) throw new InsufficientBandwidth(technology, mbps, location, wanted.maxMbps);
  }
}
