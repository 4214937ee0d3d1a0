import DataLoader from 'dataloader';
import { InvalidParameters } from '../errors/errors.ts';
import type { Members } from '../graphql/members.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../graphql/page.ts';
import { once } from '../once.ts';
import type { Only, RecordReader } from './record-reader.ts';

/** How many records of a relation are asked for, checked as every list is. */
export function relationLimit(limit: number | null | undefined): number {
  const size = limit ?? PAGE_SIZE_DEFAULT;
  if (size < 1 || size > PAGE_SIZE_MAX)
    throw new InvalidParameters([{ field: 'limit', value: size, reason: `must be between 1 and ${PAGE_SIZE_MAX}` }]);
  return size;
}

/** Batched reads of one kind of record within one request: by id, and the newest of each of many owners. */
export class RecordLoader<T extends { id: string }> {
  #byId: DataLoader<string, T | null> | undefined;
  readonly #newest = new Map<string, DataLoader<string, T[]>>();

  constructor(
    private readonly reader: RecordReader<T>,
    private readonly organizationId: string,
  ) {}

  /** The record, or null where the organization has none such. */
  load(id: string): Promise<T | null> {
    this.#byId ??= new DataLoader((ids) => this.reader.byIds(this.organizationId, ids));
    return this.#byId.load(id);
  }

  /** Those of a list that there are, with the members that it shows: they are asked for together as it is. */
  async all(ids: readonly string[], members?: Members): Promise<T[]> {
    if (ids.length === 0) return [];
    return (await this.reader.byIds(this.organizationId, ids, members)).filter((record) => record !== null);
  }

  /** The organization's newest, with the members that the list shows. */
  recent(limit: number, members?: Members): Promise<T[]> {
    return this.reader.recent(this.organizationId, limit, members);
  }

  /** The newest `limit` records whose `property` is `key`, and are as `only` says; one statement for all keys asked for together. */
  newest(property: keyof T & string, key: string, limit: number, only?: Only<T>): Promise<T[]> {
    const name = `${property}:${limit}:${JSON.stringify(only ?? {})}`;
    let loader = this.#newest.get(name);
    if (!loader) {
      loader = new DataLoader((keys) => this.reader.newest(this.organizationId, property, keys, limit, only));
      this.#newest.set(name, loader);
    }
    return loader.load(key);
  }
}

type LoadersOf<R> = { [K in keyof R]: R[K] extends { forOrganization(organizationId: string): infer L } ? L : never };

type Readers = Readonly<Record<string, { forOrganization(organizationId: string): unknown }>>;

/** By the readers, of which a domain has one set. */
const classes = new WeakMap<Readers, new (organizationId: string) => object>();

/** The batched reads of one request: of each reader one, made when it is first asked for. */
export function loadersOf<R extends Readers>(readers: R, organizationId: string): LoadersOf<R> {
  const Loaders = classes.get(readers) ?? compile(readers);
  return new Loaders(organizationId) as LoadersOf<R>;
}

function compile(readers: Readers): new (organizationId: string) => object {
  class Loaders {
    constructor(readonly organizationId: string) {}
  }
  for (const [name, reader] of Object.entries(readers)) {
    const get = function (this: Loaders): unknown {
      return reader.forOrganization(this.organizationId);
    };
    Object.defineProperty(Loaders.prototype, name, once(Loaders.prototype, name, { get }));
  }
  classes.set(readers, Loaders);
  return Loaders;
}
