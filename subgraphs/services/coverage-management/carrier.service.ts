import type { EntityManager } from '../../../kernel/database/database.ts';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { definedOnly, orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { CarrierAreaRow, CarrierRow } from '../carriers/carrier.entity.ts';
import type { Carrier } from '../carriers/carrier.types.ts';
import { CarrierReader } from '../carriers/carrier-reader.ts';
import type { CatalogChange } from '../catalog/catalog.events.ts';
import { CatalogIdTaken } from '../catalog-management/catalog-management.errors.ts';
import { COVERAGE_LOCK, type OperatorDeps, recordChange, underLock } from '../catalog-management/operator-change.ts';
import { replaceRows } from '../catalog-management/replace-rows.ts';
import { CoverageTechnology } from '../coverage/coverage.entity.ts';
import { CoverageService } from '../coverage/coverage.service.ts';
import { CarrierNameTaken } from './coverage-management.errors.ts';
import type { CarrierAreaInput, CarrierCreateInput, CarrierUpdateInput } from './coverage-management.inputs.ts';

const DEFAULTS = { uptimePercent: new Decimal('99.9'), repairHours: 24, installationDays: 30 };

/** Changes carriers for the operator of the platform. */
export class CarrierService {
  constructor(private readonly deps: OperatorDeps) {}

  /**
   * Creates a carrier.
   * @throws CatalogIdTaken, CarrierNameTaken, InvalidParameters
   */
  create({ id, ...input }: CarrierCreateInput): Promise<Carrier> {
    return this.#change(id, 'created', async (tx) => {
      if (await tx.findOne(CarrierRow, { id })) throw new CatalogIdTaken('carrier', id);
      const row = Object.assign(new CarrierRow(), { id, ...DEFAULTS });
      await this.#apply(tx, row, input);
      tx.persist(row);
      return row;
    });
  }

  /**
   * Changes a carrier. After a change, a carrier is no longer marked as one of the fictional initial carriers
   * (`initial`).
   * @throws ResourceNotFound, StaleResource, CarrierNameTaken, InvalidParameters
   */
  update(id: string, input: CarrierUpdateInput, expectedRevision?: number | null): Promise<Carrier> {
    return this.#change(id, 'updated', async (tx) => {
      const row = await this.#find(tx, id, expectedRevision);
      await this.#apply(tx, row, input);
      row.initial = false;
      row.revision += 1;
      return row;
    });
  }

  /**
   * Deletes a carrier. The coverage does not change, and ordered services continue.
   * @throws ResourceNotFound, StaleResource
   */
  delete(id: string, expectedRevision?: number | null): Promise<Carrier> {
    return this.#change(id, 'deleted', async (tx) => {
      const row = await this.#find(tx, id, expectedRevision);
      const carrier = await shown(tx, row);
      for (const area of await tx.find(CarrierAreaRow, { carrierId: id })) tx.remove(area);
      tx.remove(row);
      return carrier;
    });
  }

  async #find(tx: EntityManager, id: string, expectedRevision: number | null | undefined): Promise<CarrierRow> {
    const row = orNotFound(await tx.findOne(CarrierRow, { id }), 'carrier', id);
    requireRevision(row, expectedRevision);
    return row;
  }

  #change(id: string, action: CatalogChange['action'], act: (tx: EntityManager) => Promise<CarrierRow | Carrier>): Promise<Carrier> {
    return underLock(this.deps.em, COVERAGE_LOCK, async (tx) => {
      const carrier = await act(tx);
      await recordChange(tx, this.deps, { resource: 'carrier', id, action });
      return carrier instanceof CarrierRow ? shown(tx, carrier) : carrier;
    });
  }

  async #apply(
    tx: EntityManager,
    row: CarrierRow,
    { areas, uptimePercentage: uptimePercent, ...fields }: CarrierUpdateInput,
  ): Promise<void> {
    const { name = row.name } = fields;
    const namesake = await tx.findOne(CarrierRow, { name, id: { $ne: row.id } });
    if (namesake) throw new CarrierNameTaken(name, namesake.id);
    if (areas) refuse(await areaProblems(tx, areas));
    Object.assign(row, definedOnly({ ...fields, uptimePercent }));
    if (!areas) return;
    const present = await tx.find(CarrierAreaRow, { carrierId: row.id });
    const wanted = areas.flatMap(({ zipPrefix, technologies }) =>
      [...new Set(technologies)].map((technology) => ({ carrierId: row.id, zipPrefix, technology })),
    );
    replaceRows(tx, CarrierAreaRow, present, wanted, ({ zipPrefix, technology }) => `${zipPrefix} ${technology}`);
  }
}

/**
 * Lists the problems of the areas of a carrier: areas without coverage, and technologies that are not available in the
 * area.
 */
async function areaProblems(tx: EntityManager, areas: readonly CarrierAreaInput[]): Promise<FieldProblem[]> {
  const covered = await tx.find(CoverageTechnology, { zipPrefix: { $in: areas.map(({ zipPrefix }) => zipPrefix) } });
  return areas.flatMap(({ zipPrefix, technologies }, index) => {
    const there = covered.filter((row) => row.zipPrefix === zipPrefix).map(({ technology }) => technology);
    if (there.length === 0)
      return [{ field: `areas.${index}.zipPrefix`, value: zipPrefix, reason: 'must be a coverage area with a technology' }];
    return technologies.flatMap((technology, at) =>
      there.includes(technology)
        ? []
        : [
            {
              field: `areas.${index}.technologies.${at}`,
              value: technology,
              reason: `must be one of ${there.sort().join(', ')}, which coverage has there`,
            },
          ],
    );
  });
}

async function shown(tx: EntityManager, row: CarrierRow): Promise<Carrier> {
  const [carrier] = await new CarrierReader(tx, new CoverageService(tx)).shown([row]);
  return carrier as Carrier;
}
