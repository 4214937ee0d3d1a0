import type { EntityManager } from '../../../kernel/database/database.ts';
import { type Page, type PageInput, type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { matching } from '../../../kernel/records/where.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import { CoverageArea, CoverageTechnology } from '../coverage/coverage.entity.ts';
import type { CoverageService } from '../coverage/coverage.service.ts';
import { type AccessTechnology, type Reach, TECHNOLOGIES } from '../coverage/technology.ts';
import { CarrierAreaRow, CarrierRow } from './carrier.entity.ts';
import type { CarrierFilter } from './carrier.inputs.ts';
import type { Carrier, CarrierArea, CarrierTechnology } from './carrier.types.ts';

const BY_NAME: readonly SortBy[] = [{ field: 'name', order: SortOrder.ASC }];

/** A carrier and the technologies that it offers in one area. */
export interface LocalCarrier {
  carrier: CarrierRow;
  technologies: readonly AccessTechnology[];
}

/** Reads carriers and the areas that they serve. */
export class CarrierReader {
  constructor(
    private readonly em: EntityManager,
    private readonly coverage: CoverageService,
  ) {}

  /** Lists carriers by name. A ZIP code belongs to the area with the longest prefix, as in an availability check. */
  async list({ zip, technology }: CarrierFilter, sort: SortBy[], page: PageInput): Promise<Page<Carrier>> {
    const where = matching<CarrierRow>({ id: zip || technology ? await this.#serving(zip, technology) : undefined });
    const { nodes, pageInfo } = await listPage(this.em, CarrierRow, { where, sort, page, defaultSort: BY_NAME });
    return { nodes: await this.shown(nodes), pageInfo };
  }

  /** Converts carriers to the form of the API. It needs three statements for any number of carriers. */
  async shown(rows: readonly CarrierRow[]): Promise<Carrier[]> {
    const served = await this.em.find(CarrierAreaRow, { carrierId: { $in: rows.map(({ id }) => id) } });
    const zipPrefix = { $in: [...new Set(served.map((row) => row.zipPrefix))] };
    const areas = await this.em.find(CoverageArea, { zipPrefix }, { orderBy: { zipPrefix: 'asc' } });
    const limits = await this.em.find(CoverageTechnology, { zipPrefix });
    const maxMbps = new Map(limits.map((limit) => [keyOf(limit), limit.maxMbps]));
    return rows.map((row) => {
      const own = served.filter(({ carrierId }) => carrierId === row.id);
      const reaches = own.map((area) => ({ ...area, maxMbps: maxMbps.get(keyOf(area)) ?? 0 }));
      return carrierOf(row, areasOf(areas, reaches), reaches);
    });
  }

  /** Lists the carriers of a coverage area by name, with their technologies there. */
  async inArea(zipPrefix: string): Promise<LocalCarrier[]> {
    const served = await this.em.find(CarrierAreaRow, { zipPrefix });
    const carriers = await this.em.find(
      CarrierRow,
      { id: { $in: served.map(({ carrierId }) => carrierId) } },
      { orderBy: { name: 'asc' } },
    );
    return carriers.map((carrier) => ({
      carrier,
      technologies: served.filter(({ carrierId }) => carrierId === carrier.id).map(({ technology }) => technology),
    }));
  }

  async #serving(zip: string | null | undefined, technology: readonly AccessTechnology[] | null | undefined): Promise<string[]> {
    const area = zip ? await this.coverage.areaOf(zip) : undefined;
    if (area === null) return [];
    const served = await this.em.find(CarrierAreaRow, matching<CarrierAreaRow>({ zipPrefix: area?.zipPrefix, technology }));
    return [...new Set(served.map(({ carrierId }) => carrierId))];
  }
}

type Served = Reach & { zipPrefix: string };

const keyOf = ({ zipPrefix, technology }: { zipPrefix: string; technology: AccessTechnology }): string => `${zipPrefix} ${technology}`;

function carrierOf(row: CarrierRow, areas: CarrierArea[], reaches: readonly Reach[]): Carrier {
  const { id, name, description, installationDays, initial, revision, uptimePercent, repairHours } = row;
  const sla = { uptimePercentage: uptimePercent, repairHours };
  return { id, name, description, technologies: technologiesOf(reaches), areas, sla, installationDays, initial, revision };
}

const areasOf = (areas: readonly CoverageArea[], reaches: readonly Served[]): CarrierArea[] =>
  areas.flatMap(({ zipPrefix, city, state }) => {
    const local = reaches.filter((reach) => reach.zipPrefix === zipPrefix);
    return local.length > 0 ? [{ zipPrefix, city, state, technologies: technologiesOf(local) }] : [];
  });

/** Returns each technology once, with its highest bandwidth, in the order of `TECHNOLOGIES`. */
const technologiesOf = (reaches: readonly Reach[]): CarrierTechnology[] =>
  TECHNOLOGIES.flatMap((technology) => {
    const limits = reaches.filter((reach) => reach.technology === technology).map(({ maxMbps }) => maxMbps);
    return limits.length > 0 ? [{ technology, bandwidth: formatBandwidth(Math.max(...limits)) }] : [];
  });
