import type { EntityManager } from '../../../kernel/database/database.ts';
import { type Page, type PageInput, SortOrder } from '../../../kernel/graphql/page.ts';
import { pageFrom } from '../../../kernel/records/pagination.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import { CarrierAreaRow } from '../carriers/carrier.entity.ts';
import type { CatalogChange } from '../catalog/catalog.events.ts';
import { CatalogIdTaken } from '../catalog-management/catalog-management.errors.ts';
import { COVERAGE_LOCK, type OperatorDeps, recordChange, underLock } from '../catalog-management/operator-change.ts';
import { replaceRows } from '../catalog-management/replace-rows.ts';
import { formatBandwidth, mbpsOf } from '../coverage/bandwidth.ts';
import { CoverageArea, CoverageTechnology } from '../coverage/coverage.entity.ts';
import type { Ring } from '../coverage/ring.ts';
import { TECHNOLOGIES } from '../coverage/technology.ts';
import { CoverageInUse } from './coverage-management.errors.ts';
import type { CoverageAreaCreateInput, CoverageAreaUpdateInput, CoverageTechnologyInput } from './coverage-management.inputs.ts';
import type { ManagedCoverageArea } from './coverage-management.types.ts';

/** Changes coverage areas for the operator of the platform. Ordered services continue, even where coverage ends. */
export class CoverageManagementService {
  constructor(private readonly deps: OperatorDeps) {}

  /** Lists all coverage areas, sorted by ZIP prefix. */
  async list(page: PageInput): Promise<Page<ManagedCoverageArea>> {
    const { em } = this.deps;
    const source = {
      properties: { id: { runtimeType: 'string' } },
      rows: async (_: unknown, { limit, offset, after }: { limit: number; offset: number; after?: readonly unknown[] }) => {
        const where = after ? { zipPrefix: { $gt: String(after[0]) } } : {};
        return managed(em, await em.find(CoverageArea, where, { orderBy: { zipPrefix: 'asc' }, limit, offset }));
      },
      total: () => em.count(CoverageArea, {}),
    };
    return pageFrom(source, [{ field: 'id', order: SortOrder.ASC }], page);
  }

  /**
   * Creates a coverage area.
   * @throws CatalogIdTaken
   */
  create({ zipPrefix, ...input }: CoverageAreaCreateInput): Promise<ManagedCoverageArea> {
    return this.#change(zipPrefix, 'created', async (tx) => {
      if (await tx.findOne(CoverageArea, { zipPrefix })) throw new CatalogIdTaken('coverage_area', zipPrefix);
      const area = Object.assign(new CoverageArea(), { zipPrefix });
      await this.#apply(tx, area, input);
      tx.persist(area);
      return area;
    });
  }

  /**
   * Changes an area. A list of technologies replaces the present list.
   * @throws ResourceNotFound, StaleResource
   * @throws CoverageInUse if a carrier has a technology that the area would lose
   */
  update(zipPrefix: string, input: CoverageAreaUpdateInput, expectedRevision?: number | null): Promise<ManagedCoverageArea> {
    return this.#change(zipPrefix, 'updated', async (tx) => {
      const area = await this.#find(tx, zipPrefix, expectedRevision);
      await this.#apply(tx, area, input);
      area.revision += 1;
      return area;
    });
  }

  /**
   * Deletes an area. After that, its ZIP codes belong to the area with the next shorter prefix, if such an area exists.
   * @throws ResourceNotFound, StaleResource
   * @throws CoverageInUse if a carrier serves the area
   */
  async delete(zipPrefix: string, expectedRevision?: number | null): Promise<ManagedCoverageArea> {
    return this.#change(zipPrefix, 'deleted', async (tx) => {
      const area = await this.#find(tx, zipPrefix, expectedRevision);
      const before = await managed(tx, [area]);
      await this.#replaceTechnologies(tx, zipPrefix, []);
      tx.remove(area);
      return before[0] as ManagedCoverageArea;
    });
  }

  async #find(tx: EntityManager, zipPrefix: string, expectedRevision: number | null | undefined): Promise<CoverageArea> {
    const area = orNotFound(await tx.findOne(CoverageArea, { zipPrefix }), 'coverage_area', zipPrefix);
    requireRevision(area, expectedRevision);
    return area;
  }

  #change(
    id: string,
    action: CatalogChange['action'],
    act: (tx: EntityManager) => Promise<CoverageArea | ManagedCoverageArea>,
  ): Promise<ManagedCoverageArea> {
    return underLock(this.deps.em, COVERAGE_LOCK, async (tx) => {
      const area = await act(tx);
      await recordChange(tx, this.deps, { resource: 'coverage_area', id, action });
      return area instanceof CoverageArea ? ((await managed(tx, [area]))[0] as ManagedCoverageArea) : area;
    });
  }

  async #apply(tx: EntityManager, area: CoverageArea, { city, state, outline, technologies }: CoverageAreaUpdateInput): Promise<void> {
    if (city !== undefined) area.city = city;
    if (state !== undefined) area.state = state.toUpperCase();
    if (outline !== undefined) area.outline(outline as unknown as Ring | null);
    if (technologies) await this.#replaceTechnologies(tx, area.zipPrefix, technologies);
  }

  async #replaceTechnologies(tx: EntityManager, zipPrefix: string, wanted: readonly CoverageTechnologyInput[]): Promise<void> {
    const present = await tx.find(CoverageTechnology, { zipPrefix });
    const lost = present.map(({ technology }) => technology).filter((one) => !wanted.some(({ technology }) => technology === one));
    const users = await tx.find(CarrierAreaRow, { zipPrefix, technology: { $in: lost } }, { orderBy: { carrierId: 'asc' } });
    if (users.length > 0) {
      const technologies = TECHNOLOGIES.filter((one) => users.some(({ technology }) => technology === one));
      throw new CoverageInUse(zipPrefix, [...new Set(users.map(({ carrierId }) => carrierId))], technologies);
    }
    const rows = wanted.map(({ technology, bandwidth }) => ({ zipPrefix, technology, maxMbps: mbpsOf(bandwidth) }));
    replaceRows(tx, CoverageTechnology, present, rows, ({ technology }) => technology);
  }
}

/** Returns areas with their technologies, in the form of the API. */
async function managed(em: EntityManager, areas: readonly CoverageArea[]): Promise<ManagedCoverageArea[]> {
  const rows = await em.find(CoverageTechnology, { zipPrefix: { $in: areas.map(({ zipPrefix }) => zipPrefix) } });
  return areas.map(({ zipPrefix, city, state, ring, revision }) => {
    const own = rows.filter((row) => row.zipPrefix === zipPrefix);
    const technologies = TECHNOLOGIES.flatMap((technology) =>
      own.filter((row) => row.technology === technology).map(({ maxMbps }) => ({ technology, bandwidth: formatBandwidth(maxMbps) })),
    );
    return { id: zipPrefix, zipPrefix, city, state, outline: ring, technologies, revision };
  });
}
