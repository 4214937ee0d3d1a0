import 'reflect-metadata';
import { Database } from '../../kernel/database.ts';
import { createLogger } from '../../kernel/log.ts';
import { billing } from '../../subgraphs/billing/subgraph.ts';
import { events } from '../../subgraphs/events/subgraph.ts';
import { identity } from '../../subgraphs/identity/subgraph.ts';
import { services } from '../../subgraphs/services/subgraph.ts';
import { support } from '../../subgraphs/support/subgraph.ts';
import { DATABASE_TEMPLATE } from '../database-template.path.ts';

/** `npm run migration -- <subgraph>`: the SQL that its entities need beyond its migrations; nothing where they agree. */
const domain = [identity, services, billing, support, events].find(({ name }) => name === process.argv[2]);
if (!domain) {
  process.stderr.write('Name a subgraph: identity, services, billing, support or events.\n');
  process.exit(1);
}
const database = await Database.open({ template: DATABASE_TEMPLATE }, createLogger({ level: 'warn' }));
const { orm } = await database.attach({ ...domain, schema: domain.name });
process.stdout.write(await orm.schema.getUpdateSchemaSQL({ wrap: false }));
await database.close();
