import type { EntityMetadata, Platform } from '@mikro-orm/core';

/** Makes a record of a row, with the class of the entity and without the ORM's bookkeeping. */
export type RowMapper<T> = (row: object) => T;

type Convert = (value: unknown) => unknown;

/** Compiles the mapping of a table's rows: which column goes to which property, and how its value is read. */
export function mapperOf<T extends object>({ props, class: entity }: EntityMetadata<T>, platform: Platform): RowMapper<T> {
  const columns = props.map((property) => ({
    column: property.fieldNames?.[0] ?? property.name,
    name: property.name as string,
    convert: converterOf(property as never, platform),
  }));
  const prototype = plainPrototype(
    (entity as unknown as { prototype: object }).prototype,
    columns.map(({ name }) => name),
  );
  return (row) => {
    const record = Object.create(prototype) as Record<string, unknown>;
    const source = row as Record<string, unknown>;
    for (const { column, name, convert } of columns) {
      const value = source[column];
      record[name] = convert && value !== null ? convert(value) : value;
    }
    return record as T;
  };
}

/** The entity's prototype with the setters covered by which the ORM watches changes: what is only read pays nothing for them. */
function plainPrototype(prototype: object, names: readonly string[]): object {
  const covers = names.map((name) => [name, { value: undefined, writable: true, enumerable: true, configurable: true }] as const);
  return Object.create(prototype, Object.fromEntries(covers)) as object;
}

interface Property {
  runtimeType?: string;
  type: string;
  customType?: { convertToJSValue(value: unknown, platform: Platform): unknown };
}

function converterOf({ runtimeType, type, customType }: Property, platform: Platform): Convert | undefined {
  if (runtimeType === 'Date') return (value) => (value instanceof Date ? value : new Date(value as string));
  // the drivers have parsed it: a text that is left is a value, and "7" is no number
  if (type === 'json' || type === 'JsonType') return undefined;
  if (customType) return (value) => customType.convertToJSValue(value, platform);
  return undefined;
}
