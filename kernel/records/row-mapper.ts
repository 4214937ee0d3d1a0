import type { EntityMetadata, Platform } from '@mikro-orm/core';
import { timestampOf } from '../values/timestamps.ts';

type Convert = (value: unknown) => unknown;
type Row = readonly unknown[];

interface Column {
  column: string;
  name: string;
  convert: Convert | undefined;
}

/**
 * Converts rows of a table to instances of the entity's class, without the ORM. A row is an array of values
 * (`Rows.tuples`), in which the selected columns are adjacent.
 */
export class RowMapper<T extends object> {
  /** Number of columns that the mapper selects. */
  readonly width: number;
  readonly #columns: readonly Column[];
  readonly #create: new (
    row: Row,
    first: number,
  ) => T;
  readonly #id: number;

  /** `fields` are the properties to read. They must include the id. Default: all properties. */
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

  /** Returns the columns to select. `table` is the alias of the table. */
  columns(table: string): string {
    return this.#columns.map(({ column }) => `${table}."${column}"`).join(', ');
  }

  /** Converts a row to a record. `first` is the index of the record's first value in the row. */
  read(row: Row, first = 0): T {
    return new this.#create(row, first);
  }

  /** Converts the values of a joined table. Returns null if the join found no row. */
  readJoined(row: Row, first: number): T | null {
    return row[first + this.#id] === null ? null : this.read(row, first);
  }
}

/**
 * Creates a constructor that assigns each property by name. The constructor is generated as code, because V8 turns an
 * object with more than a dozen dynamically named properties into a hash table, which is slower.
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

/**
 * Descriptor of a plain property. It replaces the setter by which the ORM tracks changes, because the setter costs
 * time.
 */
const PLAIN: PropertyDescriptor = { value: undefined, writable: true, enumerable: true, configurable: true };

/**
 * Returns the descriptor of a property that was not read. Accessing the property throws, because the property would
 * otherwise look empty.
 */
const unread = (name: string): PropertyDescriptor => ({
  get: () => {
    throw new Error(`${name} was not read. Declare it with @ReadsFields on the field resolver that needs it.`);
  },
});

interface Property {
  runtimeType?: string;
  type: string;
  customType?: { convertToJSValue(value: unknown, platform: Platform): unknown };
}

function converterOf({ runtimeType, type, customType }: Property, platform: Platform): Convert | undefined {
  if (runtimeType === 'Date') return (value) => (typeof value === 'string' ? timestampOf(value) : value);
  // the driver has already parsed JSON; parsing a text again would turn the JSON string "7" into a number
  if (type === 'json' || type === 'JsonType') return undefined;
  if (customType) return (value) => customType.convertToJSValue(value, platform);
  return undefined;
}
