import { existsSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { EXTENSIONS } from '../../kernel/database.extensions.ts';
import { DATABASE_TEMPLATE } from '../database-template.path.ts';

/**
 * Makes the empty cluster that embedded databases start from. Unpacking it takes a sixth of the time of `initdb`, at a first
 * start and in each test worker. Part of `npm run build`; made anew when another PGlite was installed.
 */
const installedAt = statSync(fileURLToPath(import.meta.resolve('@electric-sql/pglite'))).ctimeMs;
if (!existsSync(DATABASE_TEMPLATE) || statSync(DATABASE_TEMPLATE).mtimeMs < installedAt) {
  const pglite = await PGlite.create({ extensions: EXTENSIONS });
  for (const name of Object.keys(EXTENSIONS)) await pglite.exec(`create extension ${name}`);
  const dump = await pglite.dumpDataDir('none');
  writeFileSync(DATABASE_TEMPLATE, Buffer.from(await dump.arrayBuffer()));
  await pglite.close();
}
