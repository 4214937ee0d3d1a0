import 'reflect-metadata';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database, drift } from '../../kernel/database/database.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { SUBGRAPHS } from '../../kernel/settings/data.ts';
import { DATABASE_TEMPLATE } from '../platform/database-template.ts';
import { domains } from '../platform/domains.ts';

/**
 * Prints the SQL that must be added to the migrations of a subgraph to match its entities (`npm run migration --
 * <subgraph>`). Prints nothing if the migrations match.
 */
const schema = SUBGRAPHS.find((name) => name === process.argv[2]);
if (!schema) {
  process.stderr.write(`Specify a subgraph: ${SUBGRAPHS.join(', ')}.\n`);
  process.exit(1);
}
using folder = mkdtempDisposableSync(join(tmpdir(), 'migration-'));
const target = { dataDir: join(folder.path, 'postgres'), template: DATABASE_TEMPLATE };
const database = await Database.open(target, createLogger({ level: 'warn' }));
const { orm } = await database.attach({ ...domains[schema], schema });
const statements = await drift(orm);
if (statements) process.stdout.write(`${statements}\n`);
await database.close();
