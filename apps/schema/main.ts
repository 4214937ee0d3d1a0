import 'reflect-metadata';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { generateDocuments } from './documents.ts';

const ROOT = process.cwd();

/**
 * Writes the generated files that are committed (`npm run schema`). With `--check`, lists the files that differ and
 * exits with an error.
 */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const read = (path: string): string | undefined => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined);
const documents = await generateDocuments(read).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
const differing = [...documents].filter(([path, text]) => read(path) !== text).map(([path]) => path);
const orphaned = existsSync(join(ROOT, 'schema'))
  ? readdirSync(join(ROOT, 'schema'))
      .map((name) => `schema/${name}`)
      .filter((path) => !documents.has(path))
  : [];

if (values.check) {
  for (const path of [...differing, ...orphaned])
    process.stderr.write(`${path} differs from what the code generates. Run npm run schema and commit it.\n`);
  if (differing.length + orphaned.length === 0) process.stdout.write(`${documents.size} generated files are up to date.\n`);
  process.exit(differing.length + orphaned.length ? 1 : 0);
}
mkdirSync(join(ROOT, 'schema'), { recursive: true });
for (const path of orphaned) rmSync(join(ROOT, path));
for (const path of differing) writeFileSync(join(ROOT, path), documents.get(path) ?? '');
process.stdout.write(differing.length ? `Wrote ${differing.map((path) => basename(path)).join(', ')}.\n` : 'Nothing changed.\n');
process.exit(0);
