import type { EntityManager } from '../../../kernel/database/database.ts';
import { definedOnly, orNotFound } from '../../../kernel/records/records.ts';
import { CatalogCategoryRow, CatalogServiceRow } from '../catalog/catalog.entity.ts';
import type { CatalogChange } from '../catalog/catalog.events.ts';
import { CatalogIdTaken, CategoryInUse } from './catalog-management.errors.ts';
import type { CatalogCategoryCreateInput, CatalogCategoryUpdateInput } from './catalog-management.inputs.ts';
import { CATALOG_LOCK, type OperatorDeps, recordChange, underLock } from './operator-change.ts';

/** Changes the categories of the catalog for the operator of the platform. */
export class CatalogCategoryService {
  constructor(private readonly deps: OperatorDeps) {}

  /**
   * Adds a category. Default position: the end of the list.
   * @throws CatalogIdTaken
   */
  create({ name, description, position }: CatalogCategoryCreateInput): Promise<CatalogCategoryRow> {
    return this.#change(name, 'created', async (tx) => {
      if (await tx.findOne(CatalogCategoryRow, { name })) throw new CatalogIdTaken('catalog_category', name);
      const last = await tx.findOne(CatalogCategoryRow, { name: { $ne: '' } }, { orderBy: { position: 'desc' } });
      const row = Object.assign(new CatalogCategoryRow(), { name, description, position: position ?? (last?.position ?? 0) + 1 });
      tx.persist(row);
      return row;
    });
  }

  /**
   * Changes a category.
   * @throws ResourceNotFound
   */
  update(name: string, input: CatalogCategoryUpdateInput): Promise<CatalogCategoryRow> {
    return this.#change(name, 'updated', async (tx) => Object.assign(await this.#find(tx, name), definedOnly(input)));
  }

  /**
   * Deletes a category that has no services.
   * @throws ResourceNotFound, CategoryInUse
   */
  delete(name: string): Promise<CatalogCategoryRow> {
    return this.#change(name, 'deleted', async (tx) => {
      const row = await this.#find(tx, name);
      const services = await tx.find(CatalogServiceRow, { category: name }, { orderBy: { id: 'asc' } });
      if (services.length > 0)
        throw new CategoryInUse(
          name,
          services.map(({ id }) => id),
        );
      tx.remove(row);
      return row;
    });
  }

  async #find(tx: EntityManager, name: string): Promise<CatalogCategoryRow> {
    return orNotFound(await tx.findOne(CatalogCategoryRow, { name }), 'catalog_category', name);
  }

  #change(
    name: string,
    action: CatalogChange['action'],
    act: (tx: EntityManager) => Promise<CatalogCategoryRow>,
  ): Promise<CatalogCategoryRow> {
    return underLock(this.deps.em, CATALOG_LOCK, async (tx) => {
      const row = await act(tx);
      await recordChange(tx, this.deps, { resource: 'catalog_category', id: name, action });
      return row;
    });
  }
}
