import 'reflect-metadata';
import { Database } from '../../kernel/database.ts';
import { createLogger } from '../../kernel/log.ts';
import { SUBGRAPHS } from '../../kernel/settings/data.ts';
import { DATABASE_TEMPLATE } from '../database-template.path.ts';
import { domains } from '../platform/domains.ts';

/** `npm run migration -- <subgraph>`: the SQL that its entities need beyond its migrations; nothing where they agree. */
const schema = SUBGRAPHS.find((name) => name === process.argv[2]);
if (!schema) {
  process.stderr.write(`Name a subgraph: ${SUBGRAPHS.join(', ')}.\n`);
  process.exit(1);
}
const database = await Database.open({ template: DATABASE_TEMPLATE }, createLogger({ level: 'warn' }));
const { orm } = await database.attach({ ...domains[schema], schema });
process.stdout.write(await orm.schema.getUpdateSchemaSQL({ wrap: false }));
await database.close();
