import type { InputRewrite, RequiresSelection } from '@graphql-hive/router-query-planner';
import type { GraphQLSchema } from 'graphql';
import { isObject, type JsonObject, PROTOTYPE } from './merge.ts';
import { compileRewrites } from './rewrite.ts';
import { possibleNames, type TypeCheck, typeCheck } from './types.ts';

type Project = (entity: JsonObject, into: JsonObject) => void;

/**
 * Builds the representation of an entity for a subgraph: its type and its required fields. Returns undefined if no
 * required field has a value.
 */
export type Represent = (entity: JsonObject) => JsonObject | undefined;

export function compileRepresentation(
  requires: readonly RequiresSelection[],
  rewrites: readonly InputRewrite[],
  schema: GraphQLSchema,
  interfaceObjects: readonly string[],
): Represent {
  const interfaceOf = interfacesOf(schema, interfaceObjects);
  const project = compileSelections(requires, { schema, sentAs: rewrites.flatMap(typeSetBy) });
  const rewrite = compileRewrites(rewrites, schema);
  return (entity) => {
    const representation: JsonObject = {};
    project(entity, representation);
    let fields = 0;
    for (const name in representation) if (name !== '__typename') fields += 1;
    if (fields === 0) return undefined;
    representation.__typename ??= entity.__typename;
    rewrite(representation);
    const known = interfaceOf.get(representation.__typename);
    if (known) representation.__typename = known;
    return representation;
  };
}

/**
 * Maps object types to the interface that the subgraph defines as an object (`@interfaceObject`). Such a subgraph needs
 * the name of the interface, but the planner (0.0.38) sometimes sends the object type.
 * An object type with two such interfaces is ambiguous and not mapped.
 */
function interfacesOf(schema: GraphQLSchema, interfaceObjects: readonly string[]): Map<unknown, string> {
  const members = interfaceObjects.flatMap((name) => possibleNames(schema, name).map((member) => [member, name] as const));
  return new Map(members.filter(([member]) => members.filter(([other]) => other === member).length === 1));
}

/**
 * Returns the type name that the rewrite writes to `__typename`, in a list. The list is empty if the rewrite changes
 * another field. The planner writes only names of interfaces that the subgraph defines as objects
 * (`@interfaceObject`).
 */
export function typeSetBy(rewrite: InputRewrite): string[] {
  if ('KeyRenamer' in rewrite) return [];
  const { path, setValueTo } = 'ValueSetter' in rewrite ? rewrite.ValueSetter : rewrite;
  const last = path.at(-1);
  return last && 'Key' in last && last.Key === '__typename' ? [String(setValueTo)] : [];
}

interface Requirements {
  schema: GraphQLSchema;
  sentAs: readonly string[];
}

/**
 * Returns the check that decides if a required fragment applies to an entity.
 * If a rewrite sends all entities under the name of an interface, a fragment on one object type of this interface
 * applies to all of its types. Otherwise, fields would be missing, because the planner (0.0.38) writes a fragment for
 * only one of the selected types.
 */
function checkOf(name: string, { schema, sentAs }: Requirements): TypeCheck {
  const isMember = (type: string): boolean => typeCheck(schema, [type])(name);
  return typeCheck(schema, [name, ...sentAs.filter(isMember)]);
}

function compileSelections(selections: readonly RequiresSelection[], requirements: Requirements): Project {
  const parts = selections.map((selection) => compileSelection(selection, requirements));
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return (entity, into) => {
    for (const part of parts) part(entity, into);
  };
}

function compileSelection(selection: RequiresSelection, requirements: Requirements): Project {
  if (selection.kind === 'FragmentSpread') throw new Error('A query plan requires a fragment by name, which is not supported.');
  if (selection.kind === 'InlineFragment') {
    const check = checkOf(selection.typeCondition, requirements);
    const inner = compileSelections(selection.selections, requirements);
    return (entity, into) => {
      if (check(String(entity.__typename))) inner(entity, into);
    };
  }
  const { name, alias = name, selections } = selection;
  if (name === PROTOTYPE || alias === PROTOTYPE) return () => undefined;
  const nested = selections && compileSelections(selections, requirements);
  return (entity, into) => {
    const value = entity[name] ?? entity[alias];
    if (value === undefined || value === null) return;
    into[alias] = nested ? projectNested(value, nested) : value;
  };
}

function projectNested(value: unknown, project: Project): unknown {
  if (Array.isArray(value)) return value.map((item) => projectNested(item, project));
  if (!isObject(value)) return value;
  const into: JsonObject = {};
  project(value, into);
  return into;
}
