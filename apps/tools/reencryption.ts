import { SecretBox, type SecretKeys } from '../../kernel/access/secret-box.ts';
import type { Rows } from '../../kernel/database/database.ts';
import { HASH_KEYS, KEY_CHECK, type SealedPlace } from '../platform/sealed-places.ts';

/**
 * Number of rows that one statement reads or writes. The number is small, because a stored REST response may be large.
 */
const BATCH = 200;
/** Number of rows that are processed between two progress messages. */
const PROGRESS_ROWS = 20_000;
/**
 * Maximum number of passes over all rows. More than one pass is needed if other processes still encrypt with the old
 * key.
 */
const PASSES = 5;
const NAMED_MAX = 20;

export interface ReencryptionParts {
  keys: SecretKeys;
  dryRun: boolean;
  tell(line: string): void;
}

export interface Outcome {
  /** Number of texts that were re-encrypted. In a dry run, number of texts that a real run would re-encrypt. */
  changed: number;
  /**
   * Texts that no key can decrypt, each named by its column and primary key. Names at most 20 texts of each column, and states the number
   * of further texts.
   */
  unreadable: string[];
}

interface SealedRow {
  key: string[];
  sealed: string;
  context: string;
}

/**
 * Encrypts all secrets of a database with the current key. Each batch is one transaction, and texts that already use
 * the current key are skipped. So a run can be killed and started again. Other processes may read and write the same
 * rows during a run.
 */
export class Reencryption {
  constructor(private readonly parts: ReencryptionParts) {}

  /**
   * Re-encrypts a database. Begins with the hash keys. Ends with the text that the platform decrypts at each start to
   * check its secret key. Until this text is re-encrypted, the platform needs both keys to start.
   */
  async run(rows: Rows, places: readonly SealedPlace[]): Promise<Outcome> {
    const all = [HASH_KEYS, ...places];
    const outcome = await this.#passOver(rows, all, true);
    for (let pass = 2; pass <= PASSES && !this.parts.dryRun && outcome.changed > 0; pass += 1) {
      const { changed } = await this.#passOver(rows, all, false);
      outcome.changed += changed;
      if (changed === 0) break;
    }
    const check = await this.#passOver(rows, [KEY_CHECK], true);
    return { changed: outcome.changed + check.changed, unreadable: [...outcome.unreadable, ...check.unreadable] };
  }

  async #passOver(rows: Rows, places: readonly SealedPlace[], isFirst: boolean): Promise<Outcome> {
    const sum: Outcome = { changed: 0, unreadable: [] };
    for (const place of places) {
      const { changed, unreadable } = await this.#reencrypt(rows, place, isFirst ? this.parts.tell : () => undefined);
      sum.changed += changed;
      sum.unreadable.push(...unreadable);
    }
    return sum;
  }

  async #reencrypt(rows: Rows, place: SealedPlace, tell: (line: string) => void): Promise<Outcome> {
    const box = new SecretBox(this.parts.keys, place.purpose);
    const done = this.parts.dryRun ? 'would be re-encrypted' : 're-encrypted';
    const outcome: Outcome = { changed: 0, unreadable: [] };
    let seen = 0;
    let unreadable = 0;
    let told = 0;
    let after: readonly string[] | undefined;
    do {
      const batch: SealedRow[] = await this.#read(rows, place, after);
      const fresh: (SealedRow & { fresh: string })[] = [];
      for (const row of batch) {
        const resealed = resealedIn(box, row);
        if (resealed === UNREADABLE) {
          unreadable += 1;
          if (unreadable <= NAMED_MAX) outcome.unreadable.push(`${place.name} ${row.key.join(' ')}`);
        } else if (resealed) fresh.push({ ...row, fresh: resealed });
      }
      outcome.changed += this.parts.dryRun ? fresh.length : await this.#write(rows, place, fresh);
      seen += batch.length;
      after = batch.length < BATCH ? undefined : batch.at(-1)?.key;
      if (after && seen - told >= PROGRESS_ROWS) {
        told = seen;
        tell(`  ${place.name}: ${seen} read, ${outcome.changed} ${done} …`);
      }
    } while (after);
    if (unreadable > NAMED_MAX) outcome.unreadable.push(`${place.name}: ${unreadable - NAMED_MAX} more`);
    tell(`  ${place.name}: ${seen} read, ${outcome.changed} ${done}`);
    return outcome;
  }

  async #read(rows: Rows, { table, key, sealed, context, where }: SealedPlace, after: readonly string[] | undefined): Promise<SealedRow[]> {
    const position = after ? `and (${key.join(', ')}) > (${key.map((_, index) => `$${index + 1}`).join(', ')})` : '';
    return rows.query<SealedRow>(
      `select array[${key.join(', ')}]::text[] as key, ${sealed} as sealed, ${context} as context from ${table}
       where ${where} and ${sealed} is not null ${position} order by ${key.join(', ')} limit ${BATCH}`,
      after ?? [],
    );
  }

  /** Writes a batch of re-encrypted texts. Skips a text that another process has changed since it was read. */
  async #write(rows: Rows, place: SealedPlace, fresh: readonly (SealedRow & { fresh: string })[]): Promise<number> {
    if (fresh.length === 0) return 0;
    const { table, key, sealed, where, assign } = place;
    const columns = key.map((_, index) => fresh.map((row) => row.key[index]));
    const names = key.map((_, index) => `k${index}`);
    const arrays = names.map((_, index) => `$${index + 3}::text[]`);
    const written = await rows.query(
      `update ${table} set ${assign} from unnest($1::text[], $2::text[], ${arrays.join(', ')}) as n (old, fresh, ${names.join(', ')})
       where ${where} and ${key.map((part, index) => `${part} = ${names[index]}`).join(' and ')} and ${sealed} = old returning 1`,
      [fresh.map((row) => row.sealed), fresh.map((row) => row.fresh), ...columns],
    );
    return written.length;
  }
}

const UNREADABLE = Symbol('unreadable');

function resealedIn(box: SecretBox, { sealed, context }: SealedRow): string | undefined | typeof UNREADABLE {
  try {
    return box.resealed(sealed, context);
  } catch {
    return UNREADABLE;
  }
}
