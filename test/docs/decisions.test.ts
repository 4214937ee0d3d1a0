import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';

const pages = globSync('docs/decisions/*.md').filter((page) => !page.endsWith('README.md'));

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8');

  test('the decision page is listed in docs/decisions/README.md', () => {
    expect(readFileSync('docs/decisions/README.md', 'utf8')).toContain(`| [${basename(page)}](${basename(page)}) | `);
  });

  test('each entry of a decision page has a question as its heading and a decision below the heading', () => {
    const [, ...entries] = text.split(/^### /m);
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.filter((entry) => !/^[^\n]+\?\n\*\*Decision\.\*\*\s/.test(entry))).toEqual([]);
  });

  test('a decision page has at most 1800 words', () => {
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(1800);
  });
});
