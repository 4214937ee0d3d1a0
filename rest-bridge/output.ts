import { type GraphQLOutputType, getNamedType, isEnumType } from 'graphql';
import { restValue } from './names.ts';
import type { SelectedField, SelectedObject } from './selection.ts';

/** Changes enum values to their REST spelling, in place. */
export type Spell = (data: unknown) => void;

/** Only ways that lead to an enum are walked; undefined where there is none. */
export function compileSpelling(object: SelectedObject): Spell | undefined {
  const ways = object.fields.flatMap(wayOf);
  if (ways.length === 0) return undefined;
  return (data) => {
    if (Array.isArray(data)) for (const item of data) spellOne(ways, item);
    else spellOne(ways, data);
  };
}

type Way = (record: Record<string, unknown>) => void;

function spellOne(ways: readonly Way[], record: unknown): void {
  if (record === null || record === undefined) return;
  for (const way of ways) way(record as Record<string, unknown>);
}

function wayOf({ name, field, object }: SelectedField): Way[] {
  if (object) {
    const spell = compileSpelling(object);
    return spell ? [(record) => spell(record[name])] : [];
  }
  const spelling = enumSpelling(field.type);
  return spelling ? [(record) => (record[name] = spelling(record[name]))] : [];
}

/** For an enum or a list of it. */
export function enumSpelling(type: GraphQLOutputType): ((value: unknown) => unknown) | undefined {
  const named = getNamedType(type);
  if (!isEnumType(named)) return undefined;
  const spellings = new Map<unknown, string>(named.getValues().map(({ name }) => [name, restValue(name)]));
  const one = (value: unknown): unknown => spellings.get(value) ?? value;
  return (value) => (Array.isArray(value) ? value.map(one) : one(value));
}
