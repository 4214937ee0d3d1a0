import DataLoader from 'dataloader';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { CoverageService, type CoveredRow, coveredBy, ZIP_DIGITS } from './coverage.service.ts';

const COVERED_ZIPS = `
  select z."zip", c.* from jsonb_array_elements_text(?::jsonb) as z("zip")
  cross join lateral (${coveredBy(Array.from({ length: ZIP_DIGITS }, (_, index) => `left(z."zip", ${index + 1})`).join(', '))}) c`;

/**
 * Reads the coverage of all locations that are requested at the same time with one statement, and each ZIP code only
 * once.
 */
export class BatchedCoverage extends CoverageService {
  readonly #areas: DataLoader<string, CoveredRow | undefined>;

  constructor(em: EntityManager) {
    super(em);
    this.#areas = new DataLoader(async (zips) => {
      const rows = await em.execute<(CoveredRow & { zip: string })[]>(COVERED_ZIPS, [JSON.stringify(zips)]);
      return zips.map((zip) => rows.find((row) => row.zip === zip));
    });
  }

  protected override covered(zip: string): Promise<CoveredRow | undefined> {
    return this.#areas.load(zip.slice(0, ZIP_DIGITS));
  }
}
