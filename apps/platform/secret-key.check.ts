import { type SealedColumn, SecretBox } from '../../kernel/access/secret-box.ts';
import type { Rows } from '../../kernel/database/database.ts';
import type { Logger } from '../../kernel/log/log.ts';
import { StartError } from './start-error.ts';

const [PURPOSE, CONTEXT] = ['secret-key-check', 'platform'];

/** Sealed columns with the schema of their tables. */
export type SealedPlace = SealedColumn & { schema: string };

/**
 * Refuses a database whose secrets another key encrypted: else it is found out by logins, keys and deliveries that fail. The first
 * start seals a text in each database, which every start opens. A database from before that gets one where the key opens a secret of it.
 * @throws StartError
 */
export async function checkSecretKey(rows: Rows, secretKey: string, places: readonly SealedPlace[], log: Logger): Promise<void> {
  const box = new SecretBox(secretKey, PURPOSE);
  let sealed = await sealedText(rows);
  if (sealed === undefined) {
    await tryOnSecrets(rows, secretKey, places, log);
    // of processes that start together one writes; all read what it wrote
    const insert = 'insert into "platform"."secret_key_check" ("sealed") values ($1) on conflict do nothing';
    await rows.query(insert, [box.seal('This database belongs to this secret key.', CONTEXT)]);
    sealed = await sealedText(rows);
  }
  if (!opens(box, sealed ?? '', CONTEXT)) throw new WrongSecretKey();
}

class WrongSecretKey extends StartError {
  constructor() {
    super(
      'The secret key is not the one that the database was started with: nothing that is encrypted in it could be read. Set SECRET_KEY, or the file secret.key of DATA_DIR, to that one. See The secret key in docs/operations.md.',
    );
  }
}

async function sealedText(rows: Rows): Promise<string | undefined> {
  const [row] = await rows.query<{ sealed: string }>('select "sealed" from "platform"."secret_key_check"', []);
  return row?.sealed;
}

/** The oldest and the newest secret of each place: one that opens shows that the key is right, as does a database without secrets. */
async function tryOnSecrets(rows: Rows, secretKey: string, places: readonly SealedPlace[], log: Logger): Promise<void> {
  const unreadable: string[] = [];
  let opened = 0;
  for (const { schema, table, column, purpose } of places) {
    const box = new SecretBox(secretKey, purpose);
    const one = (order: string) =>
      `(select "id", "${column}" as sealed from "${schema}"."${table}" where "${column}" is not null order by "id" ${order} limit 1)`;
    const samples = await rows.query<{ id: string; sealed: string }>(`${one('asc')} union all ${one('desc')}`, []);
    for (const { id, sealed } of samples) {
      if (opens(box, sealed, id)) opened += 1;
      else unreadable.push(`${schema}.${table} ${id}`);
    }
  }
  if (unreadable.length === 0) return;
  if (opened === 0) throw new WrongSecretKey();
  log.warn({ unreadable }, 'Some secrets of this database were encrypted with another secret key');
}

function opens(box: SecretBox, sealed: string, context: string): boolean {
  try {
    box.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}
