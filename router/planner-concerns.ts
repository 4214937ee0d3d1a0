import {
  type DocumentNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  type UnionTypeDefinitionNode,
} from 'graphql';
import { argumentsOf } from './joins.ts';

type Fielded = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;
interface FieldJoin {
  graph?: string;
  provides?: string;
  requires?: string;
  type?: string;
  external?: boolean;
}
interface TypeJoin {
  graph: string;
  isInterfaceObject?: boolean;
  resolvable?: boolean;
}

/**
 * Returns warnings about parts of a supergraph that the planner (0.0.38) plans wrongly or not at all.
 * Each warning is a sentence with the field and the reason. docs/router.md lists workarounds.
 */
export function plannerConcerns(supergraphSdl: string): string[] {
  const { definitions } = parse(supergraphSdl, { noLocation: true });
  const types = definitions.filter(
    (definition): definition is Fielded =>
      (definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION) &&
      argumentsOf(definition.directives, 'join__type').length > 0,
  );
  return [...types.flatMap(ofInterfaceObject), ...types.flatMap(ofProvides), ...ofRequires(types), ...ofConflicts(types, definitions)];
}

const joinsOf = (field: FieldDefinitionNode): FieldJoin[] => argumentsOf(field.directives, 'join__field');

function ofInterfaceObject({ name, directives }: Fielded): string[] {
  const joins = argumentsOf(directives, 'join__type') as TypeJoin[];
  return joins
    .filter(({ isInterfaceObject, resolvable }) => isInterfaceObject && resolvable === false)
    .map(
      ({ graph }) =>
        `${name.value} is an interface object of ${graph} with a key that is not resolvable: what is selected through it in fragments may be fetched for the wrong type. Make the key resolvable.`,
    );
}

function ofProvides({ name, fields = [] }: Fielded): string[] {
  return fields.flatMap((field) =>
    joinsOf(field)
      .filter(({ provides }) => provides?.includes('{'))
      .map(
        ({ graph, provides }) =>
          `${name.value}.${field.name.value} of ${graph} provides "${provides}": nested fields that are provided may be fetched from a subgraph that does not have them. Provide fields of the type itself only.`,
      ),
  );
}

/** Warns about a field with `@requires` if the type that it returns also has fields with `@requires`. */
function ofRequires(types: readonly Fielded[]): string[] {
  const requiring = new Set(
    types
      .filter(({ fields = [] }) => fields.some((field) => joinsOf(field).some(({ requires }) => requires)))
      .map(({ name }) => name.value),
  );
  return types.flatMap(({ name, fields = [] }) =>
    fields
      .filter((field) => requiring.has(namedType(field)) && joinsOf(field).some(({ requires }) => requires))
      .map(
        (field) =>
          `${name.value}.${field.name.value} requires fields, and so does its type ${namedType(field)}: operations that select both may not be planned, and fail. Require one of them elsewhere.`,
      ),
  );
}

function namedType({ type }: FieldDefinitionNode): string {
  let named = type;
  while (named.kind !== Kind.NAMED_TYPE) named = named.type;
  return named.name.value;
}

/**
 * Warns about fields with the same name but different types in the object types of one union or interface, within one
 * subgraph.
 */
function ofConflicts(types: readonly Fielded[], definitions: DocumentNode['definitions']): string[] {
  const byName = new Map(types.map((type) => [type.name.value, type]));
  const unions = definitions.filter((one): one is UnionTypeDefinitionNode => one.kind === Kind.UNION_TYPE_DEFINITION);
  const groups = [
    ...unions.flatMap(({ name, directives }) =>
      membersByGraph(argumentsOf(directives, 'join__unionMember') as { graph: string; member: string }[], name.value),
    ),
    ...types
      .filter(({ kind }) => kind === Kind.INTERFACE_TYPE_DEFINITION)
      .flatMap(({ name }) => membersByGraph(implementationsOf(name.value, types), name.value)),
  ];
  const found = groups.flatMap(({ abstract, graph, members }) => {
    const seen = new Map<string, { owner: string; type: string }>();
    return members.flatMap((member) =>
      (byName.get(member)?.fields ?? []).flatMap((field) => {
        const type = typeIn(graph, field, byName.get(member));
        if (!type) return [];
        const first = seen.get(field.name.value);
        if (!first) seen.set(field.name.value, { owner: member, type });
        if (!first || first.type === type) return [];
        return `${first.owner}.${field.name.value} is ${first.type} and ${member}.${field.name.value} is ${type}, both in ${abstract} of ${graph}: selected together in fragments they may be given each other's names. Give both the same type, or different names.`;
      }),
    );
  });
  return [...new Set(found)];
}

const implementationsOf = (name: string, types: readonly Fielded[]): { graph: string; member: string }[] =>
  types.flatMap((type) =>
    (argumentsOf(type.directives, 'join__implements') as { graph: string; interface: string }[])
      .filter((join) => join.interface === name && type.kind === Kind.OBJECT_TYPE_DEFINITION)
      .map(({ graph }) => ({ graph, member: type.name.value })),
  );

function membersByGraph(joins: readonly { graph: string; member: string }[], abstract: string) {
  const graphs = [...new Set(joins.map(({ graph }) => graph))];
  return graphs.map((graph) => ({ abstract, graph, members: joins.filter((join) => join.graph === graph).map(({ member }) => member) }));
}

/** Returns the type of a field in a subgraph. Undefined if the subgraph does not resolve the field. */
function typeIn(graph: string, field: FieldDefinitionNode, owner: Fielded | undefined): string | undefined {
  const joins = joinsOf(field);
  const isKnown = (argumentsOf(owner?.directives, 'join__type') as TypeJoin[]).some((join) => join.graph === graph);
  if (joins.length === 0) return isKnown ? print(field.type) : undefined;
  const join = joins.find((one) => one.graph === graph && !one.external);
  return join && (join.type ?? print(field.type));
}
