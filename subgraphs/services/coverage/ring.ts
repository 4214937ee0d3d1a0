/** A position on the map: longitude, then latitude, in degrees (RFC 7946, section 3.1.1). */
export type Position = readonly [longitude: number, latitude: number];

/** The outline of an area: a closed list of positions, so the last position equals the first position. */
export type Ring = readonly Position[];

export interface Bounds {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** Returns the smallest box that contains a ring. */
export function boundsOf(ring: Ring): Bounds {
  const longitudes = ring.map(([longitude]) => longitude);
  const latitudes = ring.map(([, latitude]) => latitude);
  return {
    west: Math.min(...longitudes),
    south: Math.min(...latitudes),
    east: Math.max(...longitudes),
    north: Math.max(...latitudes),
  };
}

/** Returns the ring in counterclockwise order, as RFC 7946 (section 3.1.6) requires for the outline of a polygon. */
export const counterclockwise = (ring: Ring): Ring => (signedArea(ring) < 0 ? ring.toReversed() : ring);

/** Returns the area of a ring in square degrees. The area is negative if the ring is in clockwise order. */
export function signedArea(ring: Ring): number {
  let double = 0;
  for (const [index, [x, y]] of ring.entries()) {
    const [nextX, nextY] = ring[(index + 1) % ring.length] as Position;
    double += x * nextY - nextX * y;
  }
  return double / 2;
}

/**
 * Removes positions that are not farther than `tolerance` degrees from the simplified ring (Douglas–Peucker). At least a
 * triangle is left.
 */
export function simplified(ring: Ring, tolerance: number): Ring {
  const last = ring.length - 1;
  const first = ring[0] as Position;
  const opposite = farthest(ring, 0, last, (position) => distance(position, first));
  const [low, high] = [
    opposite,
    farthest(ring, 0, last, (position) => distanceToSegment(position, first, ring[opposite] as Position)),
  ].sort((one, other) => one - other) as [number, number];
  const corners = [0, low, high, last].filter((index, at, all) => index !== all[at - 1]);
  const kept = corners.slice(1).flatMap((end, at) => between(ring, corners[at] as number, end, tolerance));
  return counterclockwise([first, ...kept]);
}

/** Returns the positions that are kept after `start`, up to and including `end`. */
function between(ring: Ring, start: number, end: number, tolerance: number): Position[] {
  const [from, to] = [ring[start] as Position, ring[end] as Position];
  const middle = farthest(ring, start, end, (position) => distanceToSegment(position, from, to));
  if (middle === start || distanceToSegment(ring[middle] as Position, from, to) <= tolerance) return [to];
  return [...between(ring, start, middle, tolerance), ...between(ring, middle, end, tolerance)];
}

/**
 * Returns the index between `start` and `end` whose position has the largest `distanceOf`. Returns `start` if there is
 * no position in between, or if all distances are 0.
 */
function farthest(ring: Ring, start: number, end: number, distanceOf: (position: Position) => number): number {
  let found = start;
  let largest = 0;
  for (let index = start + 1; index < end; index++) {
    const size = distanceOf(ring[index] as Position);
    if (size > largest) [found, largest] = [index, size];
  }
  return found;
}

const distance = ([x, y]: Position, [otherX, otherY]: Position): number => Math.hypot(x - otherX, y - otherY);

function distanceToSegment(position: Position, from: Position, to: Position): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = dx * dx + dy * dy;
  if (length === 0) return distance(position, from);
  const along = ((position[0] - from[0]) * dx + (position[1] - from[1]) * dy) / length;
  const part = Math.min(1, Math.max(0, along));
  return distance(position, [from[0] + part * dx, from[1] + part * dy]);
}
