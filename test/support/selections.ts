import { type GraphQLField, getNamedType, isLeafType, isNonNullType, isObjectType, isUnionType } from 'graphql';

type Field = GraphQLField<unknown, unknown>;

/**
 * Selections of everything that can be reached from a type: its plain fields, and each of its relations with what lies behind. All
 * together they would be more fields than a query may have.
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

/** Of a list less than there would be: all of its relations in full would be more than an answer may have. Here each holds one or two. */
function few({ name, args }: Field): string {
  return args.some((argument) => argument.name === 'limit') ? `${name}(limit: 5)` : name;
}

/** Every field that needs no argument, and what lies behind it, some levels down. Types of a union may not share names: they are aliased. */
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
