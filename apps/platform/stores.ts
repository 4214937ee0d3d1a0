import type { Database } from '../../kernel/database/database.ts';
import type { Domain } from '../../kernel/domain.ts';
import type { Logger } from '../../kernel/log/log.ts';
import { SUBGRAPHS, type SubgraphName } from '../../kernel/settings/data.ts';
import type { Databases, Store } from './databases.ts';
import { domains } from './domains.ts';
import { checkSecretKey, type SealedPlace } from './secret-key.check.ts';

export type Stores = Record<SubgraphName, Store>;

/**
 * Opens what each domain keeps: schemas up to date, and encrypted with this secret key.
 * @throws SchemaError, StartError
 */
export async function openStores(databases: Databases, secretKey: string, log: Logger): Promise<Stores> {
  await databases.migrate();
  const stores: Partial<Stores> = {};
  for (const schema of SUBGRAPHS) stores[schema] = await databases.storeOf({ ...domains[schema], schema });
  const opened = stores as Stores;
  const byDatabase = Map.groupBy(SUBGRAPHS, (name): Database => opened[name].database);
  for (const names of byDatabase.values()) {
    const [first = SUBGRAPHS[0]] = names;
    await checkSecretKey(opened[first].rows, secretKey, names.flatMap(placesOf), log);
  }
  return opened;
}

function placesOf(schema: SubgraphName): SealedPlace[] {
  const { sealed = [] }: Pick<Domain, 'sealed'> = domains[schema];
  return sealed.map((column) => ({ schema, ...column }));
}
