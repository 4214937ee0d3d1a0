import { type FilterQuery, raw } from '@mikro-orm/core';
import { Backfill, type Position } from '../../../kernel/database/backfill.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { containing } from '../../../kernel/records/where.ts';
import type { Service } from './service.entity.ts';
import { ServiceSearchField } from './service-list.values.ts';

const LOCATION_FIELDS = ['address', 'city', 'state', 'zip'];
const ALL_FIELDS = Object.values(ServiceSearchField);

/** Character that separates the fields in `search_text`. Two separators precede the location fields. */
const SEPARATOR = '\u001f';

/** Number of services that one batch of the backfill writes. */
const BATCH = 200;

/**
 * Searches for a text in the fields of services. The column `search_text` has all searched fields in lower case, and an index of its
 * trigrams, so the time depends on the number of matches and not on the number of services.
 */
export class ServiceSearch {
  readonly #backfill: Backfill;

  constructor(deps: { orm: Orm; log: Logger }) {
    this.#backfill = new Backfill(deps, 'search-text', writeTexts);
  }

  start(): void {
    this.#backfill.start();
  }

  stop(): Promise<void> {
    return this.#backfill.stop();
  }

  /** Returns the condition that at least one of the fields contains the text, ignoring case. */
  anyOf(fields: readonly ServiceSearchField[], text: string): FilterQuery<Service> {
    const indexed = this.#isIndexed(text) ? before(fields) : undefined;
    return indexed === undefined ? inFields(fields, text) : matches(indexed, text);
  }

  /**
   * Returns true if the search can use `search_text`: all services have this text, and the searched text cannot match across two fields.
   */
  #isIndexed(text: string): boolean {
    return this.#backfill.isDone && !text.includes(SEPARATOR);
  }
}

/**
 * Returns the pattern that precedes a match in `search_text`, if the search is limited to these fields. Undefined if the column does not
 * separate these fields from the others.
 */
function before(fields: readonly ServiceSearchField[]): string | undefined {
  if (ALL_FIELDS.every((field) => fields.includes(field))) return '';
  return fields.every((field) => field === ServiceSearchField.LOCATION) ? `%${SEPARATOR}${SEPARATOR}` : undefined;
}

function matches(prefix: string, text: string): FilterQuery<Service> {
  const { $ilike: pattern } = containing(text);
  return { [raw((alias) => `${alias}."search_text" like lower(?)`, [`${prefix}${pattern}`])]: [] } as FilterQuery<Service>;
}

function inFields(fields: readonly ServiceSearchField[], text: string): FilterQuery<Service> {
  const $or = fields.flatMap((field): object[] =>
    field === ServiceSearchField.LOCATION
      ? LOCATION_FIELDS.map((member) => ({ location: { [member]: containing(text) } }))
      : [{ [field]: containing(text) }],
  );
  return { $or };
}

/** Writes the search texts of services that are older than migration 0020. */
async function writeTexts(tx: EntityManager, from: Position): Promise<Position> {
  const [after = ''] = from ?? [];
  const rows = await tx.execute<{ id: string; is_locked: boolean }[]>(
    `with batch as materialized (select "id" from "services"."service" where "id" > ? order by "id" limit ${BATCH}),
     held as materialized (
       select s."id" from batch b join "services"."service" s using ("id") for no key update of s skip locked
     ), written as (
       update "services"."service" s set "search_text" = "services"."search_text_of"(s."id", s."name", s."service_type", s."location")
       from held h where s."id" = h."id" and s."search_text" is null
     )
     select b."id", h."id" is null as "is_locked" from batch b left join held h using ("id") order by b."id"`,
    [after],
  );
  const stop = rows.findIndex((row) => row.is_locked);
  if (stop < 0 && rows.length < BATCH) return null;
  const last = stop < 0 ? rows.at(-1) : rows[stop - 1];
  return [last?.id ?? after];
}
