import type { EntityMetadata, Platform } from '@mikro-orm/core';
import { instantOf } from '../values/instants.ts';

type Convert = (value: unknown) => unknown;
type Row = readonly unknown[];

interface Column {
  column: string;
  name: string;
  convert: Convert | undefined;
}

/**
 * Makes records of a table's rows, with the class of the entity and without the ORM's bookkeeping. Rows are lists of values
 * (`Rows.tuples`) in which `columns` stand one after the other.
 */
export class RowMapper<T extends object> {
  /** How many values of a row are its own. */
  readonly width: number;
  readonly #columns: readonly Column[];
  readonly #create: new (
    row: Row,
    first: number,
  ) => T;
  readonly #id: number;

  /** `members`: those that are read, among them the id; all where there is none. */
  constructor({ props, class: entity }: EntityMetadata<T>, platform: Platform, fields?: ReadonlySet<string>) {
    const isRead = ({ name }: { name: string }): boolean => !fields || fields.has(name);
    const all = props.map((property) => ({
      column: property.fieldNames?.[0] ?? property.name,
      name: property.name as string,
      convert: converterOf(property as never, platform),
    }));
    this.#columns = all.filter(isRead);
    this.width = this.#columns.length;
    this.#id = this.#columns.findIndex(({ name }) => name === 'id');
    const prototype = Object.create((entity as unknown as { prototype: object }).prototype, {
      ...Object.fromEntries(all.map(({ name }) => [name, isRead({ name }) ? PLAIN : unread(name)])),
    }) as object;
    this.#create = compile(prototype, this.#columns);
  }

  /** What to select of the table that has this name in the statement. */
  columns(table: string): string {
    return this.#columns.map(({ column }) => `${table}."${column}"`).join(', ');
  }

  /** `first`: where in the row its columns begin. */
  read(row: Row, first = 0): T {
    return new this.#create(row, first);
  }

  /** The same where the table was joined, and may have had no row. */
  readJoined(row: Row, first: number): T | null {
    return row[first + this.#id] === null ? null : this.read(row, first);
  }
}

/**
 * A constructor that assigns each property by its name. Written as code, since an object that gets more than a dozen members by
 * names from a list becomes a hash table to V8: slower to make, and then each time it is read.
 */
function compile<T>(prototype: object, columns: readonly Column[]): new (row: Row, first: number) => T {
  const lines = columns.map(({ name, convert }, index) => {
    const value = `row[first + ${index}]`;
    return `this[${JSON.stringify(name)}] = ${convert ? `${value} === null ? null : converters[${index}](${value})` : value};`;
  });
  const make = new Function('converters', `return function (row, first) {\n${lines.join('\n')}\n};`);
  const create = make(columns.map(({ convert }) => convert)) as { prototype: object };
  create.prototype = prototype;
  return create as unknown as new (
    row: Row,
    first: number,
  ) => T;
}

/** Covers a setter by which the ORM watches changes: what is only read pays nothing for it. */
const PLAIN: PropertyDescriptor = { value: undefined, writable: true, enumerable: true, configurable: true };

/** What was not read is not taken for what is empty. */
const unread = (name: string): PropertyDescriptor => ({
  get: () => {
    throw new Error(`${name} was not read: what reads it of a list must say so (@ReadsFields).`);
  },
});

interface Property {
  runtimeType?: string;
  type: string;
  customType?: { convertToJSValue(value: unknown, platform: Platform): unknown };
}

function converterOf({ runtimeType, type, customType }: Property, platform: Platform): Convert | undefined {
  if (runtimeType === 'Date') return (value) => (typeof value === 'string' ? instantOf(value) : value);
  // the drivers have parsed it: a text that is left is a value, and "7" is no number
  if (type === 'json' || type === 'JsonType') return undefined;
  if (customType) return (value) => customType.convertToJSValue(value, platform);
  return undefined;
}
