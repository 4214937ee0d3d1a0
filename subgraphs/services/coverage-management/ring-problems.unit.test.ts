import { expect, test } from 'vitest';
import { ringProblems } from './ring-problems.ts';

test.each([
  [
    'a triangle',
    [
      [0, 0],
      [1, 0],
      [0, 1],
      [0, 0],
    ],
  ],
  [
    'a clockwise square',
    [
      [0, 0],
      [0, 1],
      [1, 1],
      [1, 0],
      [0, 0],
    ],
  ],
  [
    'a ring with a notch',
    [
      [0, 0],
      [2, 0],
      [2, 2],
      [1, 0.5],
      [0, 2],
      [0, 0],
    ],
  ],
])('%s is a valid outline of a coverage area', (_, ring) => {
  expect(ringProblems('outline', ring)).toEqual([]);
});

test.each([
  [
    'with three positions',
    [
      [0, 0],
      [1, 0],
      [0, 0],
    ],
    'must have 4 to 200 positions, but has 3',
  ],
  [
    'that is not closed',
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ],
    'must be closed: the last position must equal the first one',
  ],
  [
    'that crosses itself',
    [
      [0, 0],
      [1, 1],
      [1, 0],
      [0, 1],
      [0, 0],
    ],
    'must not cross or touch itself',
  ],
  [
    'that visits a position twice',
    [
      [0, 0],
      [2, 0],
      [2, 2],
      [1, 0],
      [0, 2],
      [0, 0],
    ],
    'must not cross or touch itself',
  ],
  [
    'that encloses no area',
    [
      [0, 0],
      [1, 1],
      [2, 2],
      [0, 0],
    ],
    'must enclose an area',
  ],
])('ringProblems returns the reason why a coverage area cannot have an outline %s', (_, ring, reason) => {
  expect(ringProblems('outline', ring).map((problem) => problem.reason)).toContain(reason);
});

test('every invalid position of an outline is reported with its index', () => {
  const problems = ringProblems('outline', [
    [0, 0],
    [181, 0],
    [1, 1, 5],
    [0, -91],
    [0, 0],
  ]);
  expect(problems.map(({ field }) => field)).toEqual(['outline.1', 'outline.2', 'outline.3']);
});
