import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { boxesOf } from './bounding-box.ts';
import { CoverageArea, CoverageTechnology } from './coverage.entity.ts';
import type { CoverageFeature, CoverageMap, CoverageMapFilter } from './coverage-map.types.ts';
import { type Ring, simplified } from './ring.ts';
import { AccessTechnology } from './technology.ts';

/** Maximum number of areas in one response. An area has up to a few hundred positions. */
const AREAS_MAX = 500;

/**
 * Returns coverage areas as GeoJSON, with one feature for each area and each technology that is available in the area and selected by
 * `filter`. A box in `filter` selects every area whose own bounding box touches it.
 * @throws InvalidParameters if there are more than 500 areas
 */
export async function coverageMapOf(em: EntityManager, { bbox, technology, simplify }: CoverageMapFilter): Promise<CoverageMap> {
  const technologies = technology?.length ? technology : [AccessTechnology.FIBER];
  const touching = bbox?.length
    ? {
        $or: boxesOf(bbox).map(({ west, south, east, north }) => ({
          west: { $lte: east },
          east: { $gte: west },
          south: { $lte: north },
          north: { $gte: south },
        })),
      }
    : {};
  const areas = await em.find(CoverageArea, { ring: { $ne: null }, ...touching }, { orderBy: { zipPrefix: 'asc' }, limit: AREAS_MAX + 1 });
  if (areas.length > AREAS_MAX)
    throw new InvalidParameters([{ field: 'bbox', value: bbox, reason: `contains more than ${AREAS_MAX} areas; send a smaller box` }]);
  const zipPrefix = { $in: areas.map((area) => area.zipPrefix) };
  const available = await em.find(CoverageTechnology, { zipPrefix, technology: { $in: technologies } }, { orderBy: { technology: 'asc' } });
  const features = areas.flatMap((area) =>
    available.filter((row) => row.zipPrefix === area.zipPrefix).map((row) => featureOf(area, row, simplify ?? 0)),
  );
  return { type: 'FeatureCollection', features };
}

function featureOf({ zipPrefix, city, state, ring }: CoverageArea, row: CoverageTechnology, tolerance: number): CoverageFeature {
  const { technology, maxMbps } = row;
  const outline = ring as Ring;
  return {
    id: `${zipPrefix}-${technology}`,
    type: 'Feature',
    geometry: { type: 'Polygon', coordinates: [tolerance > 0 ? simplified(outline, tolerance) : outline] },
    properties: { zipPrefix, city, state, technology, maxMbps },
  };
}
