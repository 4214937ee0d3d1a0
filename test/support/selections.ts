import { type GraphQLField, getNamedType, isLeafType, isNonNullType, isObjectType, isUnionType } from 'graphql';

type Field = GraphQLField<unknown, unknown>;

/**
 * Selections of everything reachable from a type: its plain fields, and each of its relations with what follows. All of them
 * together would exceed the field limit of a query.
 */
export function relationsOf(of: unknown, levels: number): string[] {
  const type = getNamedType(of as Field['type']);
  if (!isObjectType(type)) return [deep(type, levels)];
  return [deep(type, 0), ...relationsIn(type.getFields()).map((field) => `{ ${few(field)} ${deep(field.type, levels - 1)} }`)];
}

/** The same along every path of relations: one selection for each. */
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

/** Limits lists to one or two entries, because full lists would exceed the object limit. */
function few({ name, args }: Field): string {
  return args.some((argument) => argument.name === 'limit') ? `${name}(limit: 5)` : name;
}

/** Every field without required arguments, some levels deep. Types of a union may not share names, so fields are aliased. */
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
