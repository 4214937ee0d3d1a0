import { type GraphQLOutputType, getNamedType, isEnumType } from 'graphql';
import { restValue } from './names.ts';
import type { SelectedField, SelectedObject } from './selection.ts';

/** Converts the enum values in a result to the lower case of REST. Changes the result itself. */
export type ConvertEnums = (data: unknown) => void;

/**
 * Compiles the conversion of enum values for a selection. The conversion visits only fields that are enums or contain
 * enums. Returns undefined if the selection has no enum.
 */
export function compileEnumCase(object: SelectedObject): ConvertEnums | undefined {
  const conversions = object.fields.flatMap(conversionsOf);
  if (conversions.length === 0) return undefined;
  return (data) => {
    if (Array.isArray(data)) for (const item of data) convertOne(conversions, item);
    else convertOne(conversions, data);
  };
}

type Conversion = (record: Record<string, unknown>) => void;

function convertOne(conversions: readonly Conversion[], record: unknown): void {
  if (record === null || record === undefined) return;
  for (const convert of conversions) convert(record as Record<string, unknown>);
}

function conversionsOf({ name, field, object }: SelectedField): Conversion[] {
  if (object) {
    const convert = compileEnumCase(object);
    return convert ? [(record) => convert(record[name])] : [];
  }
  const convert = enumCase(field.type);
  return convert ? [(record) => (record[name] = convert(record[name]))] : [];
}

/** Returns the conversion of values whose type is an enum or a list of enums. Returns undefined for other types. */
export function enumCase(type: GraphQLOutputType): ((value: unknown) => unknown) | undefined {
  const named = getNamedType(type);
  if (!isEnumType(named)) return undefined;
  const restNames = new Map<unknown, string>(named.getValues().map(({ name }) => [name, restValue(name)]));
  const one = (value: unknown): unknown => restNames.get(value) ?? value;
  return (value) => (Array.isArray(value) ? value.map(one) : one(value));
}
