import type { SealedColumn } from '../../kernel/access/sealed-column.ts';
import type { Domain } from '../../kernel/domain.ts';
import { sealedResponses } from '../../kernel/idempotency/store.ts';
import { JOB_SCHEMA } from '../../kernel/jobs/schema.ts';
import type { SubgraphName } from '../../kernel/settings/data.ts';
import { domains } from './domains.ts';

/** A column with encrypted texts, described by SQL expressions. */
export interface SealedPlace {
  /** `events.webhook.sealed_secret` */
  name: string;
  purpose: string;
  table: string;
  /** Expressions that name a row, and that an index has in this order. */
  key: readonly string[];
  /** The text, and what it was encrypted for. */
  sealed: string;
  context: string;
  /** An optional condition that selects rows, besides that the text is not null. */
  where: string;
  /** The assignment of a text that the statement has as `fresh`. */
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

/** The places of a domain in its database. Kept responses lie with identity. */
export function sealedPlacesOf(schema: SubgraphName): SealedPlace[] {
  const { sealed = [], sealedJobs = [] }: Pick<Domain, 'sealed' | 'sealedJobs'> = domains[schema];
  return [
    ...sealed.map((column) => columnPlace(schema, column)),
    ...sealedJobs.map(({ queue, purpose }) => jobsPlace(queue, purpose)),
    ...(schema === 'identity' ? [columnPlace('bridge', sealedResponses)] : []),
  ];
}

/** Keys of hashes, which every database has room for. */
export const HASH_KEYS = columnPlace('platform', { table: 'hash_key', column: 'sealed', purpose: 'hash-keys', key: ['purpose'] });

/** The text that a start decrypts to check the secret key. It is re-encrypted last. */
export const KEY_CHECK: SealedPlace = {
  ...columnPlace('platform', { table: 'secret_key_check', column: 'sealed', purpose: 'secret-key-check' }),
  key: ['"only"::text'],
  context: `'platform'`,
};
