import { expect, test } from 'vitest';
import { boundsOf, counterclockwise, type Ring, signedArea, simplified } from './ring.ts';

const square: Ring = [
  [0, 0],
  [2, 0],
  [2, 1],
  [0, 1],
  [0, 0],
];

test('the bounds of a ring are its smallest and largest coordinates', () => {
  expect(boundsOf(square)).toEqual({ west: 0, south: 0, east: 2, north: 1 });
});

test('a clockwise ring is reversed, and a counterclockwise ring does not change', () => {
  expect(signedArea(square)).toBe(2);
  expect(counterclockwise(square)).toBe(square);
  expect(counterclockwise(square.toReversed())).toEqual(square);
});

test('simplifying a ring removes positions within the tolerance and keeps all other positions', () => {
  const detailed: Ring = [
    [0, 0],
    [1, -0.01],
    [2, 0],
    [2.3, 0.5],
    [2, 1],
    [0, 1],
    [0, 0],
  ];
  expect(simplified(detailed, 0.05)).toEqual([
    [0, 0],
    [2, 0],
    [2.3, 0.5],
    [2, 1],
    [0, 1],
    [0, 0],
  ]);
  expect(simplified(detailed, 0.001)).toEqual(detailed);
});

test('a ring that is simplified with a large tolerance is still a closed triangle in counterclockwise order', () => {
  const circle: Ring = Array.from({ length: 33 }, (_, index) => {
    const angle = ((index % 32) / 32) * 2 * Math.PI;
    return [Math.cos(angle), Math.sin(angle)];
  });
  const triangle = simplified(circle, 100);
  expect(triangle).toHaveLength(4);
  expect(triangle.at(-1)).toEqual(triangle[0]);
  expect(signedArea(triangle)).toBeGreaterThan(0);
});
