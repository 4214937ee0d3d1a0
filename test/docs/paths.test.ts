import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('{docs,examples}/**/*.md')];
const files = globSync('{.ci,apps,bench,docs,examples,kernel,rest-bridge,router,schema,scripts,subgraphs,test}/**/*');
/** True for the path of an existing file, and for the end of such a path, for example `jira/jira.routes.ts`. */
const isThere = (path: string): boolean => existsSync(path) || files.some((file) => file.endsWith(`/${path}`));
const IS_PATH =
  /^(?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs|md|json|graphql|sql|yml)$|^(?:apps|bench|docs|kernel|rest-bridge|router|schema|scripts|subgraphs|test)\/[\w./-]*$/;

test.each(pages)('links and file names in %s point to existing files', (page) => {
  const text = readFileSync(page, 'utf8');
  const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link).filter((link) => !/^https?:/.test(link));
  expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([]);
  const named = [...text.matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word).filter((word) => IS_PATH.test(word));
  // files that the page tells its reader to create
  const made = [...text.matchAll(/^```\w+\n(?:\/\/|#) ([\w-]+\.\w+)$/gm)].map(([, file]) => file);
  expect(named.filter((path) => !isThere(path) && !made.includes(path))).toEqual([]);
});
