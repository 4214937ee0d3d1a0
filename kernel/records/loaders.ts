import DataLoader from 'dataloader';
import type { RecordScope } from '../access/principal.ts';
import { InvalidParameters } from '../errors/errors.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../graphql/page.ts';
import type { SelectedFields } from '../graphql/selected-fields.ts';
import { once } from '../once.ts';
import type { Key, Only, RecordReader } from './record-reader.ts';

/**
 * Returns the number of records of a relation to load: `limit`, or the default page size of lists if `limit` is
 * missing.
 * @throws InvalidParameters if `limit` is not allowed for lists
 */
export function relationLimit(limit: number | null | undefined): number {
  const size = limit ?? PAGE_SIZE_DEFAULT;
  if (size < 1 || size > PAGE_SIZE_MAX)
    throw new InvalidParameters([{ field: 'limit', value: size, reason: `must be between 1 and ${PAGE_SIZE_MAX}` }]);
  return size;
}

/**
 * Loads records of one kind within one request, by id or by owner. Records that are requested at the same time are
 * loaded by one statement.
 */
export class RecordLoader<T extends object> {
  readonly #byKey = new Map<string, DataLoader<string, T | null>>();
  readonly #ofOwner = new Map<string, DataLoader<string, T[]>>();

  constructor(
    private readonly reader: RecordReader<T>,
    private readonly scope: RecordScope,
  ) {}

  /** Loads a record. Returns null if it does not exist for the caller. */
  load(id: string): Promise<T | null> {
    return this.one('id' as keyof T & string, id);
  }

  /** Loads the record whose property `by` is `key`. At most one record has this key. Returns null if none exists for the caller. */
  one(by: keyof T & string, key: string): Promise<T | null> {
    let loader = this.#byKey.get(by);
    if (!loader) {
      loader = new DataLoader((keys) => this.reader.byKeys(this.scope, by, keys));
      this.#byKey.set(by, loader);
    }
    return loader.load(key);
  }

  /** Loads the existing records with these ids, with the selected fields, by one statement. */
  async all(ids: readonly string[], fields?: SelectedFields): Promise<T[]> {
    if (ids.length === 0) return [];
    return (await this.reader.byIds(this.scope, ids, fields)).filter((record) => record !== null);
  }

  /** Loads the newest records that the caller sees, with the selected fields. */
  recent(limit: number, fields?: SelectedFields): Promise<T[]> {
    return this.reader.recent(this.scope, limit, fields);
  }

  /**
   * Loads the newest `limit` records whose property `by` equals `key`, and that match `only`. One statement loads the
   * records of all keys that are requested at the same time.
   */
  newest(by: Key<T>, key: string, limit: number, only?: Only<T>): Promise<T[]> {
    return this.#newest(by, limit, only).load(key);
  }

  /** Caches the result of `newest` for a record that a mutation has just created, and that has no such records yet. */
  keepNone(by: Key<T>, key: string, limit: number, only?: Only<T>): void {
    this.#newest(by, limit, only).prime(key, []);
  }

  /**
   * Loads all records whose property `by` contains the id `owner`, in the order of `orderBy` (default: oldest first).
   * Use it only if an owner has few records. One statement loads the records of all owners that are requested at the
   * same time.
   */
  of(by: keyof T & string, owner: string, ...orderBy: (keyof T & string)[]): Promise<T[]> {
    return this.#all(by, orderBy).load(owner);
  }

  /**
   * Caches all records whose property `by` contains the id `owner`, in the order of `orderBy`, after a mutation has
   * written them. `of` then returns them without a query.
   */
  keepOf(by: keyof T & string, owner: string, records: T[], ...orderBy: (keyof T & string)[]): void {
    this.#all(by, orderBy).prime(owner, records);
  }

  #newest(by: Key<T>, limit: number, only?: Only<T>): DataLoader<string, T[]> {
    const name = typeof by === 'string' ? by : [by.child.name, by.property];
    return this.#owned(['newest', name, limit, only], (keys) => this.reader.newest(this.scope, by, keys, limit, only));
  }

  #all(by: keyof T & string, orderBy: (keyof T & string)[]): DataLoader<string, T[]> {
    return this.#owned(['of', by, orderBy], (owners) => this.reader.of(this.scope, by, owners, orderBy));
  }

  #owned(question: unknown[], read: (owners: readonly string[]) => Promise<T[][]>): DataLoader<string, T[]> {
    const name = JSON.stringify(question);
    const loader = this.#ofOwner.get(name) ?? new DataLoader(read);
    this.#ofOwner.set(name, loader);
    return loader;
  }
}

type LoadersOf<R> = { [K in keyof R]: R[K] extends { forScope(scope: RecordScope): infer L } ? L : never };

type Readers = Readonly<Record<string, { forScope(scope: RecordScope): unknown }>>;

/** The classes that `loadersOf` has generated, one for each set of readers. */
const classes = new WeakMap<Readers, new (scope: RecordScope) => object>();

/** Returns the loaders of one request: one per reader, created on first access. */
export function loadersOf<R extends Readers>(readers: R, scope: RecordScope): LoadersOf<R> {
  const Loaders = classes.get(readers) ?? compile(readers);
  return new Loaders(scope) as LoadersOf<R>;
}

function compile(readers: Readers): new (scope: RecordScope) => object {
  class Loaders {
    constructor(readonly scope: RecordScope) {}
  }
  for (const [name, reader] of Object.entries(readers)) {
    const get = function (this: Loaders): unknown {
      return reader.forScope(this.scope);
    };
    Object.defineProperty(Loaders.prototype, name, once(Loaders.prototype, name, { get }));
  }
  classes.set(readers, Loaders);
  return Loaders;
}
