import type { SealedColumn } from '../../kernel/access/sealed-column.ts';
import type { Domain } from '../../kernel/domain.ts';
import { sealedResponses } from '../../kernel/idempotency/store.ts';
import { JOB_SCHEMA } from '../../kernel/jobs/schema.ts';
import type { SubgraphName } from '../../kernel/settings/data.ts';
import { domains } from './domains.ts';

/** A database column with encrypted texts, described by SQL expressions. */
export interface SealedPlace {
  /** Name for messages, for example `events.webhook.sealed_secret`. */
  name: string;
  purpose: string;
  table: string;
  /** SQL expressions that identify a row. The table has an index on these expressions in this order. */
  key: readonly string[];
  /**
   * SQL expression for the encrypted text. `context` is the SQL expression for the context of the encryption: the text
   * can be decrypted only with the same context.
   */
  sealed: string;
  context: string;
  /**
   * SQL condition for the rows with an encrypted text, in addition to the condition that `sealed` is not null. `true`
   * selects all these rows.
   */
  where: string;
  /** SQL assignment that stores the new encrypted text. In the assignment, `fresh` is the new text. */
  assign: string;
}

const columnPlace = (schema: string, { table, column, purpose, key = ['id'], separator = '' }: SealedColumn): SealedPlace => ({
  name: `${schema}.${table}.${column}`,
  purpose,
  table: `"${schema}"."${table}"`,
  key: key.map((name) => `"${name}"`),
  sealed: `"${column}"`,
  context: key.map((name) => `"${name}"`).join(` || '${separator}' || `),
  where: 'true',
  assign: `"${column}" = fresh`,
});

const jobsPlace = (queue: string, purpose: string): SealedPlace => ({
  name: `${JOB_SCHEMA}.job ${queue}`,
  purpose,
  table: `"${JOB_SCHEMA}"."job"`,
  key: ['"id"::text'],
  sealed: `"data" ->> 'sealed'`,
  context: `"data" ->> 'id'`,
  where: `"name" = '${queue}'`,
  assign: `"data" = jsonb_set("data", '{sealed}', to_jsonb(fresh))`,
});

/**
 * Returns the encrypted columns of a domain. For the identity domain, also returns the column of stored REST responses,
 * because its database contains these responses.
 */
export function sealedPlacesOf(schema: SubgraphName): SealedPlace[] {
  const { sealed = [], sealedJobs = [] }: Pick<Domain, 'sealed' | 'sealedJobs'> = domains[schema];
  return [
    ...sealed.map((column) => columnPlace(schema, column)),
    ...sealedJobs.map(({ queue, purpose }) => jobsPlace(queue, purpose)),
    ...(schema === 'identity' ? [columnPlace('bridge', sealedResponses)] : []),
  ];
}

/** The encrypted column of the table of hash keys. Every database has this table. */
export const HASH_KEYS = columnPlace('platform', { table: 'hash_key', column: 'sealed', purpose: 'hash-keys', key: ['purpose'] });

/**
 * The column of the text that each start decrypts to check the secret key. This column is re-encrypted after all other
 * columns.
 */
export const KEY_CHECK: SealedPlace = {
  ...columnPlace('platform', { table: 'secret_key_check', column: 'sealed', purpose: 'secret-key-check' }),
  key: ['"only"::text'],
  context: `'platform'`,
};
