import {
  type ConstDirectiveNode,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';

/** A subgraph of the supergraph. */
export interface JoinedGraph {
  name: string;
  /** The HTTP URL of the subgraph. It may be empty. */
  url: string;
}

interface FieldJoin {
  graph?: string;
  external?: boolean;
  usedOverridden?: boolean;
  requires?: string;
}

interface TypeJoin {
  graph: string;
  isInterfaceObject?: boolean;
}

interface TypeJoins {
  graphs: Set<string>;
  /** The subgraphs that define this interface as an object (`@interfaceObject`). */
  asObjectIn: Set<string>;
  fields: Map<string, FieldJoin[]>;
}

/** The types and fields of each subgraph, from the `join__` directives of a supergraph (join spec v0.1 to v0.5). */
export class Joins {
  /**
   * Maps the values of the enum `join__Graph` to the subgraphs. The other `join__` directives refer to a subgraph by
   * its enum value.
   */
  readonly graphs: ReadonlyMap<string, JoinedGraph>;
  readonly #types = new Map<string, TypeJoins>();

  constructor(supergraph: DocumentNode) {
    this.graphs = readGraphs(supergraph);
    for (const definition of supergraph.definitions) {
      if ('name' in definition && definition.name && 'directives' in definition) this.#readType(definition as ObjectTypeDefinitionNode);
    }
  }

  knowsType(graph: string, type: string): boolean {
    return this.#types.get(type)?.graphs.has(graph) ?? false;
  }

  /** Returns true if a subgraph can resolve a field without data from another subgraph. */
  answers(graph: string, type: string, field: string): boolean {
    const joins = this.#types.get(type);
    if (!joins?.graphs.has(graph)) return false;
    const fieldJoins = joins.fields.get(field) ?? [];
    if (fieldJoins.length === 0) return true;
    return fieldJoins.some((join) => join.graph === graph && !join.external && !join.usedOverridden && join.requires === undefined);
  }

  /**
   * Returns the interfaces that a subgraph defines as objects. `subgraph` is a name or an enum value, because plans
   * contain either of them.
   */
  interfaceObjectsOf(subgraph: string): string[] {
    const [graph = ''] = [...this.graphs].find(([value, { name }]) => value === subgraph || name === subgraph) ?? [];
    return [...this.#types].filter(([, { asObjectIn }]) => asObjectIn.has(graph)).map(([name]) => name);
  }

  /** Returns the subgraphs that can resolve a field. */
  ownersOf(type: string, field: string): string[] {
    return [...this.graphs.keys()].filter((graph) => this.answers(graph, type, field));
  }

  #readType(definition: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode): void {
    const joins = argumentsOf(definition.directives, 'join__type') as TypeJoin[];
    const graphs = new Set(joins.map(({ graph }) => graph));
    if (graphs.size === 0) return;
    const fields = (definition.fields ?? []).map(
      (field) => [field.name.value, argumentsOf(field.directives, 'join__field') as FieldJoin[]] as const,
    );
    const asObjectIn = new Set(joins.filter(({ isInterfaceObject }) => isInterfaceObject).map(({ graph }) => graph));
    this.#types.set(definition.name.value, { graphs, asObjectIn, fields: new Map(fields) });
  }
}

function readGraphs({ definitions }: DocumentNode): Map<string, JoinedGraph> {
  const joinGraph = definitions.find(
    (definition): definition is EnumTypeDefinitionNode =>
      definition.kind === Kind.ENUM_TYPE_DEFINITION && definition.name.value === 'join__Graph',
  );
  const entries = (joinGraph?.values ?? []).map(({ name, directives }) => {
    const [join] = argumentsOf(directives, 'join__graph') as Partial<JoinedGraph>[];
    return [name.value, { name: join?.name ?? name.value, url: join?.url ?? '' }] as const;
  });
  return new Map(entries);
}

/** Returns the arguments of each directive with this name, as an object. */
export function argumentsOf(directives: readonly ConstDirectiveNode[] | undefined, name: string): object[] {
  return (directives ?? [])
    .filter((directive) => directive.name.value === name)
    .map(({ arguments: given = [] }) =>
      Object.fromEntries(given.map((argument) => [argument.name.value, valueFromASTUntyped(argument.value)])),
    );
}
