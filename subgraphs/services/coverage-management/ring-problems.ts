import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { type Position, type Ring, signedArea } from '../coverage/ring.ts';

/** Maximum number of positions of an outline. It limits the size of the coverage map. */
export const MAX_POSITIONS = 200;
const MIN_POSITIONS = 4;

/**
 * Lists the reasons why a list of positions is not a valid outline of an area. A null in the list stands for a position
 * that the type check has already refused.
 */
export function ringProblems(field: string, ring: readonly (readonly (number | null)[] | null)[]): FieldProblem[] {
  const invalid = ring.flatMap((position, index) => positionProblems(`${field}.${index}`, position));
  if (ring.length < MIN_POSITIONS || ring.length > MAX_POSITIONS)
    return [{ field, reason: `must have ${MIN_POSITIONS} to ${MAX_POSITIONS} positions, but has ${ring.length}` }, ...invalid];
  if (invalid.length > 0 || ring.some((position) => position?.includes(null) ?? true)) return invalid;
  const closed = ring as Ring;
  const [first, last] = [closed[0] as Position, closed.at(-1) as Position];
  if (first[0] !== last[0] || first[1] !== last[1])
    return [{ field, reason: 'must be closed: the last position must equal the first one' }];
  if (crosses(closed)) return [{ field, reason: 'must not cross or touch itself' }];
  return signedArea(closed) === 0 ? [{ field, reason: 'must enclose an area' }] : [];
}

function positionProblems(field: string, position: readonly (number | null)[] | null): FieldProblem[] {
  if (!position) return [];
  if (position.length !== 2) return [{ field, value: position, reason: 'must be a longitude and a latitude' }];
  const [longitude, latitude] = position;
  const isInside = Math.abs(longitude ?? 0) <= 180 && Math.abs(latitude ?? 0) <= 90;
  return isInside ? [] : [{ field, value: position, reason: 'must be a longitude from -180 to 180 and a latitude from -90 to 90' }];
}

/** Returns true if two edges that are not neighbours have a point in common, or if a position is repeated. */
function crosses(ring: Ring): boolean {
  const edges = ring.slice(1).map((end, index): [Position, Position] => [ring[index] as Position, end]);
  return edges.some((edge, index) => {
    if (isSame(...edge)) return true;
    return edges.some((other, at) => {
      const areNeighbours = at === index + 1 || (index === 0 && at === edges.length - 1);
      return at > index && !areNeighbours && meet(edge, other);
    });
  });
}

const isSame = ([x, y]: Position, [otherX, otherY]: Position): boolean => x === otherX && y === otherY;

function meet([a, b]: [Position, Position], [c, d]: [Position, Position]): boolean {
  const sides = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)] as const;
  if (sides[0] !== sides[1] && sides[2] !== sides[3]) return true;
  const corners = [
    [a, b, c],
    [a, b, d],
    [c, d, a],
    [c, d, b],
  ] as const;
  return corners.some(([from, to, point], index) => sides[index] === 0 && isBetween(from, to, point));
}

/** Returns 1 if the point is left of the line, -1 if it is right of it, and 0 if it is on it. */
const side = ([ax, ay]: Position, [bx, by]: Position, [x, y]: Position): number => Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax));

const isBetween = ([ax, ay]: Position, [bx, by]: Position, [x, y]: Position): boolean =>
  x >= Math.min(ax, bx) && x <= Math.max(ax, bx) && y >= Math.min(ay, by) && y <= Math.max(ay, by);
