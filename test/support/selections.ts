import { type GraphQLField, getNamedType, isLeafType, isNonNullType, isObjectType, isUnionType } from 'graphql';

type Field = GraphQLField<unknown, unknown>;

/**
 * GraphQL selections of everything that can be reached from a type: one with its plain fields, and one for each relation.
 * A single query with all of them would exceed the field limit.
 */
export function relationsOf(of: unknown, levels: number): string[] {
  const type = getNamedType(of as Field['type']);
  if (!isObjectType(type)) return [deep(type, levels)];
  return [deep(type, 0), ...relationsIn(type.getFields()).map((field) => `{ ${few(field)} ${deep(field.type, levels - 1)} }`)];
}

/** Like `relationsOf`, but returns one selection for each path of relations. */
export function pathsOf(of: unknown, levels: number): string[] {
  const type = getNamedType(of as Field['type']);
  if (!isObjectType(type) || levels === 0) return [deep(type, 0)];
  const behind = relationsIn(type.getFields()).flatMap((field) =>
    pathsOf(field.type, levels - 1).map((path) => `{ ${few(field)} ${path} }`),
  );
  return [deep(type, 0), ...behind];
}

const isCallable = ({ args }: Field): boolean => args.every((argument) => !isNonNullType(argument.type));

const relationsIn = (fields: Readonly<Record<string, Field>>): Field[] =>
  Object.values(fields).filter((field) => !isLeafType(getNamedType(field.type)) && isCallable(field));

/** Selects a list with a small limit, because full lists would exceed the object limit. */
function few({ name, args }: Field): string {
  return args.some((argument) => argument.name === 'limit') ? `${name}(limit: 5)` : name;
}

/**
 * Selects all fields without required arguments down to `levels`. Fields are aliased, because union members share
 * names.
 */
function deep(of: unknown, levels: number): string {
  const type = getNamedType(of as Field['type']);
  if (isUnionType(type)) {
    const types = type.getTypes().map((one) => `... on ${one.name} ${deep(one, levels)}`);
    return `{ ${types.join(' ')} }`;
  }
  if (!isObjectType(type)) return '';
  const chosen = Object.values(type.getFields())
    .filter(isCallable)
    .flatMap((field) => {
      const name = `${type.name}_${field.name}: ${few(field)}`;
      if (isLeafType(getNamedType(field.type))) return [name];
      return levels > 0 ? [`${name} ${deep(field.type, levels - 1)}`] : [];
    });
  return `{ __typename ${chosen.join(' ')} }`;
}
