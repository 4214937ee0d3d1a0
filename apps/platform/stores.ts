import type { SecretKeys } from '../../kernel/access/secret-box.ts';
import type { Secrets } from '../../kernel/access/secrets.ts';
import type { Database } from '../../kernel/database/database.ts';
import type { Logger } from '../../kernel/log/log.ts';
import { SUBGRAPHS, type SubgraphName } from '../../kernel/settings/data.ts';
import type { Databases, Store } from './databases.ts';
import { domains } from './domains.ts';
import { type SealedPlace, sealedPlacesOf } from './sealed-places.ts';
import { checkSecretKey, readSecrets } from './secret-key-check.ts';

export type Stores = Record<SubgraphName, Store>;

export interface OpenedStores {
  stores: Stores;
  secrets: Secrets;
}

/**
 * Opens the stores of all domains. Applies pending migrations, and checks that each database is encrypted with one of
 * the secret keys.
 * @throws SchemaError, StartError
 */
export async function openStores(databases: Databases, keys: SecretKeys, log: Logger): Promise<OpenedStores> {
  await databases.migrate();
  const stores: Partial<Stores> = {};
  for (const schema of SUBGRAPHS) stores[schema] = await databases.storeOf({ ...domains[schema], schema });
  const opened = stores as Stores;
  const keyOf = new Map<Database, string>();
  for (const { database, rows, places } of sealedIn(opened)) {
    keyOf.set(database, await checkSecretKey(rows, keys, places, log));
  }
  const { database, rows } = opened.identity;
  return { stores: opened, secrets: await readSecrets(rows, keys, keyOf.get(database) ?? keys[0]) };
}

/** Returns each database with the encrypted columns of its domains. */
export function sealedIn(stores: Stores): { database: Database; rows: Store['rows']; places: SealedPlace[] }[] {
  const byDatabase = Map.groupBy(SUBGRAPHS, (name): Database => stores[name].database);
  return [...byDatabase].map(([database, names]) => {
    const { rows } = stores[names[0] ?? 'identity'];
    return { database, rows, places: names.flatMap(sealedPlacesOf) };
  });
}
