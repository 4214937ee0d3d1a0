import { CatalogReader } from '../catalog/catalog-reader.ts';
import type { Offer } from '../catalog/offer.ts';
import { CoverageService, type LocalCoverage } from '../coverage/coverage.service.ts';
import type { CoverageLocationInput } from '../coverage/location.ts';

/** Reads each catalog service only once, because most items of a bulk order the same catalog service. */
export class BulkCatalog extends CatalogReader {
  readonly #offers = new Map<string, Promise<Offer | null>>();

  override offerById(id: string): Promise<Offer | null> {
    return remembered(this.#offers, id, () => super.offerById(id));
  }
}

/** Reads the coverage of each place only once. */
export class BulkCoverage extends CoverageService {
  readonly #coverage = new Map<string, Promise<LocalCoverage>>();

  override coverageAt(place: CoverageLocationInput): Promise<LocalCoverage> {
    return remembered(this.#coverage, `${place.zip} ${place.state}`, () => super.coverageAt(place));
  }
}

function remembered<T>(values: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const value = values.get(key) ?? read();
  values.set(key, value);
  return value;
}
