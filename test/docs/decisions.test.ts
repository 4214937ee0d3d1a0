import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json } from '../tenant.ts';

const pages = globSync('docs/decisions/*.md').filter((page) => !page.endsWith('README.md'));

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8');

  test('a decision page is listed in docs/decisions/README.md', () => {
    expect(readFileSync('docs/decisions/README.md', 'utf8')).toContain(`| [${basename(page)}](${basename(page)}) | `);
  });

  test('each entry of a decision page has a question as its heading and a decision below the heading', () => {
    const [, ...entries] = text.split(/^### /m);
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.filter((entry) => !/^[^\n]+\?\n\*\*Decision\.\*\*\s/.test(entry))).toEqual([]);
  });

  test('each page of docs/decisions has at most 1800 words', () => {
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(1800);
  });
});

test('docs/decisions/additions.md lists all REST operations that the specification does not have and no others', () => {
  const { paths } = JSON.parse(readFileSync('schema/openapi.json', 'utf8')) as { paths: Record<string, Record<string, Json>> };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const ids = new Set(operations.map(({ operationId }) => operationId));
  const added = operations.filter((operation) => operation['x-addition']).map(({ operationId }) => operationId);
  const named = [...readFileSync('docs/decisions/additions.md', 'utf8').matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  expect(named.filter((name) => ids.has(name)).sort()).toEqual(added.sort());
});
