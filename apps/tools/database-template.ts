import 'reflect-metadata';
import { existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Database } from '../../kernel/database/database.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { SUBGRAPHS } from '../../kernel/settings/data.ts';
import { DATABASE_TEMPLATE } from '../platform/database-template.ts';
import { schemasOf } from '../platform/schemas.ts';

/**
 * Creates DATABASE_TEMPLATE as part of `npm run build`. Creates it again if another version of PGlite was installed.
 */
const installedAt = statSync(fileURLToPath(import.meta.resolve('@electric-sql/pglite'))).ctimeMs;
if (!existsSync(DATABASE_TEMPLATE) || statSync(DATABASE_TEMPLATE).ctimeMs < installedAt) {
  const dist = dirname(DATABASE_TEMPLATE);
  for (const earlier of globSync('pgdata*', { cwd: dist })) rmSync(join(dist, earlier), { recursive: true });
  const partial = `${DATABASE_TEMPLATE}.partial`;
  const log = createLogger({ level: 'warn' });
  const database = await Database.open({ dataDir: partial }, log);
  await database.migrate(schemasOf(SUBGRAPHS));
  await database.close();
  renameSync(partial, DATABASE_TEMPLATE);
}
