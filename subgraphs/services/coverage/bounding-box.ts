import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import type { Bounds } from './ring.ts';

const NAMES = ['west', 'south', 'east', 'north'] as const;
const LIMIT = { west: 180, south: 90, east: 180, north: 90 } as const;

/**
 * Lists the reasons why `bbox` is not a bounding box (RFC 7946, section 5). A null in `bbox` stands for an entry that
 * the type check has already refused.
 */
export function boxProblems(bbox: readonly (number | null)[]): FieldProblem[] {
  if (bbox.length !== NAMES.length)
    return [{ field: 'bbox', value: bbox, reason: `must have 4 numbers (west, south, east, north), but has ${bbox.length}` }];
  const outside = NAMES.flatMap((name, index) => {
    const value = bbox[index] as number | null;
    const limit = LIMIT[name];
    return value !== null && Math.abs(value) > limit
      ? [{ field: `bbox.${index}`, value, reason: `is the ${name} of the box and must be between -${limit} and ${limit}` }]
      : [];
  });
  const [, south, , north] = bbox;
  if (outside.length > 0 || typeof south !== 'number' || typeof north !== 'number' || south <= north) return outside;
  return [{ field: 'bbox', value: bbox, reason: 'has a south that is larger than its north; the order is west, south, east, north' }];
}

/** Returns the boxes that a valid `bbox` consists of. A box across the 180th meridian consists of two. */
export function boxesOf(bbox: readonly number[]): Bounds[] {
  const [west, south, east, north] = bbox as [number, number, number, number];
  if (west <= east) return [{ west, south, east, north }];
  return [
    { west, south, east: 180, north },
    { west: -180, south, east, north },
  ];
}
