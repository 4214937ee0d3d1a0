import type { EntityManager } from '../../../kernel/database/database.ts';
import { CatalogTermDiscountRow } from '../catalog/catalog.entity.ts';
import type { CatalogTermDiscountInput } from './catalog-management.inputs.ts';
import { CATALOG_LOCK, type OperatorDeps, recordChange, underLock } from './operator-change.ts';
import { replaceRows } from './replace-rows.ts';

/** Lists the discounts for long terms, and replaces them for the operator of the platform. */
export class TermDiscountService {
  constructor(private readonly deps: OperatorDeps) {}

  list(em: EntityManager = this.deps.em): Promise<CatalogTermDiscountRow[]> {
    return em.find(CatalogTermDiscountRow, {}, { orderBy: { months: 'asc' } });
  }

  /** Replaces all term discounts. Existing quotes keep their discount. If nothing changes, no event is recorded. */
  replace(discounts: readonly CatalogTermDiscountInput[]): Promise<CatalogTermDiscountRow[]> {
    return underLock(this.deps.em, CATALOG_LOCK, async (tx) => {
      const present = await this.list(tx);
      const before = JSON.stringify(present);
      replaceRows(tx, CatalogTermDiscountRow, present, discounts, ({ months }) => months);
      await tx.flush();
      const after = await this.list(tx);
      if (JSON.stringify(after) !== before)
        await recordChange(tx, this.deps, { resource: 'term_discounts', id: 'catalog', action: 'updated' });
      return after;
    });
  }
}
