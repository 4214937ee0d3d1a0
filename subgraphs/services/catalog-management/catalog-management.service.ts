import type { EntityManager } from '../../../kernel/database/database.ts';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { definedOnly, orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { CatalogBandwidthRow, CatalogCategoryRow, CatalogFeatureRow, CatalogServiceRow, CatalogSlaRow } from '../catalog/catalog.entity.ts';
import type { CatalogChange } from '../catalog/catalog.events.ts';
import type { CatalogService } from '../catalog/catalog.types.ts';
import { CatalogReader } from '../catalog/catalog-reader.ts';
import { mbpsOf } from '../coverage/bandwidth.ts';
import { products } from '../products/registry.ts';
import { CatalogIdTaken, ServiceTypeTaken } from './catalog-management.errors.ts';
import type { CatalogServiceCreateInput, CatalogServiceUpdateInput } from './catalog-management.inputs.ts';
import { CatalogPriceChange } from './catalog-price-change.entity.ts';
import { type Prices, priceDifferences, pricesOf } from './catalog-prices.ts';
import { CURRENCY } from './catalog-rules.ts';
import { CATALOG_LOCK, type OperatorDeps, recordChange, underLock } from './operator-change.ts';
import { replaceRows } from './replace-rows.ts';

const NO_PRICES: Prices = new Map();

/**
 * Changes the services of the catalog for the operator of the platform. A change of the catalog applies only to later orders: ordered
 * services keep their price, their options and their provider.
 */
export class CatalogManagementService {
  constructor(private readonly deps: OperatorDeps) {}

  /**
   * Adds a service to the catalog. Default position: the end of its category.
   * @throws InvalidParameters, CatalogIdTaken, ServiceTypeTaken
   */
  create({ id, category, ...input }: CatalogServiceCreateInput): Promise<CatalogService> {
    return this.#change(id, 'created', async (tx) => {
      if (await tx.findOne(CatalogServiceRow, { id })) throw new CatalogIdTaken('catalog_service', id);
      const last = await tx.findOne(CatalogServiceRow, { category }, { orderBy: { position: 'desc' } });
      const fields = { id, category, currency: CURRENCY, position: (last?.position ?? 0) + 1, startingPrice: new Decimal(0) };
      const row = Object.assign(new CatalogServiceRow(), fields);
      await this.#apply(tx, row, input);
      tx.persist(row);
      return NO_PRICES;
    });
  }

  /**
   * Changes a service of the catalog. A list in `input`, such as `bandwidths`, replaces the whole stored list.
   * @throws ResourceNotFound, StaleResource, InvalidParameters, ServiceTypeTaken
   */
  update(id: string, input: CatalogServiceUpdateInput, expectedRevision?: number | null): Promise<CatalogService> {
    return this.#change(id, 'updated', async (tx) => {
      const row = await this.#find(tx, id);
      requireRevision(row, expectedRevision);
      const before = pricesOf(await new CatalogReader(tx).offerOf(id));
      await this.#apply(tx, row, input);
      return before;
    });
  }

  /**
   * Takes a service out of the catalog, so that it can no longer be ordered. Services that were ordered before continue.
   * Changes nothing if the service is already retired.
   * @throws ResourceNotFound, StaleResource
   */
  retire(id: string, expectedRevision?: number | null): Promise<CatalogService> {
    return this.#change(id, 'retired', async (tx) => {
      const row = await this.#find(tx, id);
      requireRevision(row, expectedRevision);
      row.retiredAt ??= this.deps.clock.now();
      return null;
    });
  }

  /**
   * Returns a retired service to the catalog.
   * @throws ResourceNotFound, StaleResource, ServiceTypeTaken
   */
  restore(id: string, expectedRevision?: number | null): Promise<CatalogService> {
    return this.#change(id, 'restored', async (tx) => {
      const row = await this.#find(tx, id);
      requireRevision(row, expectedRevision);
      await this.#requireFreeType(tx, { ...row, retiredAt: null });
      row.retiredAt = null;
      return null;
    });
  }

  async #find(tx: EntityManager, id: string): Promise<CatalogServiceRow> {
    return orNotFound(await tx.findOne(CatalogServiceRow, { id }), 'catalog_service', id);
  }

  /**
   * Changes a catalog service while no other operator can change the catalog. `act` returns the prices before the change, or null if it
   * changes no price. If nothing changes, the revision stays the same and no event is recorded.
   */
  #change(id: string, action: CatalogChange['action'], act: (tx: EntityManager) => Promise<Prices | null>): Promise<CatalogService> {
    return underLock(this.deps.em, CATALOG_LOCK, async (tx) => {
      const reader = new CatalogReader(tx);
      const before = JSON.stringify(await reader.managed(id));
      const prices = await act(tx);
      await tx.flush();
      if (prices) this.#recordPrices(tx, id, prices, pricesOf(await reader.offerOf(id)));
      if (JSON.stringify(await reader.managed(id)) !== before) {
        const row = await this.#find(tx, id);
        if (action !== 'created') row.revision += 1;
        await tx.flush();
        await recordChange(tx, this.deps, { resource: 'catalog_service', id, action });
      }
      return orNotFound(await reader.managed(id), 'catalog_service', id);
    });
  }

  async #apply(tx: EntityManager, row: CatalogServiceRow, input: CatalogServiceUpdateInput): Promise<void> {
    const { bandwidths, slas, features, ...fields } = definedOnly(input);
    const { id: serviceId } = row;
    const next = { ...row, ...fields };
    const present = await offerRowsOf(tx, serviceId);
    const sizes = bandwidths?.map(({ bandwidth, monthlyPrice }) => ({ serviceId, mbps: mbpsOf(bandwidth), monthlyPrice }));
    refuse([...(await this.#problems(tx, next)), ...startingPriceProblems(input, present.bandwidths)]);
    await this.#requireFreeType(tx, next);
    // only now, because a query would flush a change that is not checked yet
    Object.assign(row, fields);
    if (sizes) replaceRows(tx, CatalogBandwidthRow, present.bandwidths, sizes, ({ mbps }) => mbps);
    if (slas) {
      const levels = slas.map(({ name, percent, uptimePercentage }, index) => ({
        ...{ serviceId, name, position: index + 1, upliftPercent: percent, uptimePercent: uptimePercentage },
      }));
      replaceRows(tx, CatalogSlaRow, present.slas, levels, ({ name }) => name);
    }
    if (features) {
      const offered = features.map((feature, index) => ({ ...feature, needs: feature.needs ?? [], serviceId, position: index + 1 }));
      replaceRows(tx, CatalogFeatureRow, present.features, offered, ({ name }) => name);
    }
    const prices = (sizes ?? present.bandwidths).map(({ monthlyPrice }) => monthlyPrice);
    if (prices.length > 0) row.startingPrice = Decimal.min(...prices);
  }

  async #problems(tx: EntityManager, { category, product, serviceType }: CatalogServiceRow): Promise<FieldProblem[]> {
    const categories = (await tx.find(CatalogCategoryRow, {})).map(({ name }) => name);
    const types: readonly (string | null)[] = products.map(({ type }) => type);
    const unknownCategory = !categories.includes(category);
    const unknownProduct = product !== null && !types.includes(product);
    const allowed = products.find(({ type }) => type === product)?.serviceTypes;
    return [
      ...(unknownCategory ? [{ field: 'category', value: category, reason: `must be one of ${categories.join(', ')}` }] : []),
      ...(unknownProduct ? [{ field: 'product', value: product, reason: `must be one of ${types.join(', ')}` }] : []),
      ...(allowed && !allowed.values.some((one) => one === serviceType)
        ? [{ field: 'serviceType', value: serviceType, reason: `must be one of ${allowed.values.join(', ')} for ${allowed.of}` }]
        : []),
    ];
  }

  async #requireFreeType(tx: EntityManager, { id, serviceType, retiredAt }: CatalogServiceRow): Promise<void> {
    if (serviceType === null || retiredAt) return;
    const other = await tx.findOne(CatalogServiceRow, { serviceType, retiredAt: null, id: { $ne: id } });
    if (other) throw new ServiceTypeTaken(serviceType, other.id);
  }

  #recordPrices(tx: EntityManager, catalogId: string, before: Prices, after: Prices): void {
    const { request, clock } = this.deps;
    for (const difference of priceDifferences(before, after)) {
      const fields = { id: newId('catalogPriceChange'), catalogId, changedBy: request.principal.id, createdAt: clock.now() };
      tx.persist(Object.assign(new CatalogPriceChange(), difference, fields));
    }
  }
}

async function offerRowsOf(tx: EntityManager, serviceId: string) {
  return {
    bandwidths: await tx.find(CatalogBandwidthRow, { serviceId }),
    slas: await tx.find(CatalogSlaRow, { serviceId }),
    features: await tx.find(CatalogFeatureRow, { serviceId }),
  };
}

/**
 * Returns a problem if a starting price is sent without bandwidths, but the service has bandwidths: its starting price is the lowest of
 * their prices. If the input contains both, `offeredProblems` checks the starting price.
 */
const startingPriceProblems = (
  { startingPrice, bandwidths }: CatalogServiceUpdateInput,
  present: readonly CatalogBandwidthRow[],
): FieldProblem[] =>
  startingPrice && !bandwidths && present.length > 0
    ? [{ field: 'startingPrice', value: startingPrice, reason: 'is the lowest price of the bandwidths; change these instead' }]
    : [];
