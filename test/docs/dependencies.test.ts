import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { dependencies, devDependencies, overrides } = JSON.parse(readFileSync('package.json', 'utf8'));
const text = readFileSync('docs/dependencies.md', 'utf8');
const rows = text.split('\n').filter((line) => line.startsWith('| `'));
const documented = rows.flatMap((row) => [...(row.split(' | ', 1)[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name));

test('docs/dependencies.md lists every package and override of package.json and no others', () => {
  const all = [...Object.keys(dependencies), ...Object.keys(devDependencies), ...Object.keys(overrides)];
  const named = all.map((name) => (name.startsWith('@types/') ? '@types/*' : name));
  expect(documented.toSorted()).toEqual([...new Set(named)].toSorted());
});

test('each package that docs/dependencies.md lists as pinned has a single version without a range in package.json', () => {
  for (const row of rows.filter((line) => line.includes('| exactly'))) {
    for (const [, name = ''] of (row.split(' | ', 1)[0] ?? '').matchAll(/`([^`]+)`/g)) {
      expect({ ...dependencies, ...devDependencies }[name], name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    }
  }
});
