import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { isGone, isObject, type JsonObject, PROTOTYPE } from './merge.ts';
import type { Path } from './path.ts';
import { Trace } from './trace.ts';

export type Variables = Readonly<Record<string, unknown>>;
/** Stands for a null where the schema allows none: the nearest member that may be null takes it. */
const BROKEN = Symbol('null where none is allowed');
type Complete = (value: unknown, variables: Variables) => unknown;
type Condition = (variables: Variables) => boolean;

interface Member {
  key: string;
  condition: Condition | undefined;
  complete: Complete;
  /** The name of the type, for `__typename`. */
  constant?: string;
  /** Whether objects have something under this key that no fetch brought (`constructor`). */
  isInherited: boolean;
}

/** The answer that an operation asked for, made of everything that its fetches brought. `broken`: where first a null stood that may not. */
export type Project = (data: JsonObject, variables: Variables) => { data: JsonObject | null; broken: Path | undefined };

/**
 * Compiles the projection of an operation: members in the order of the selection, under their response keys, keys and types
 * that were only fetched for the plan left out, nulls handed up to where the schema allows them.
 */
export function compileProjection(schema: GraphQLSchema, operation: OperationDefinitionNode, fragments: Fragments): Project {
  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`The schema has no ${operation.operation}.`);
  const compiler = new Compiler(schema, fragments);
  const members = compiler.members(root, [operation.selectionSet]);
  return (data, variables) => {
    compiler.trace.reset();
    const result = compiler.projectObject(members, data, variables);
    return { data: result === BROKEN ? null : result, broken: compiler.trace.path };
  };
}

type Composite = GraphQLObjectType | GraphQLInterfaceType;
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

class Compiler {
  /** Of the answer that is being projected, which happens at one go. */
  readonly trace = new Trace();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: Fragments,
  ) {}

  members(type: Composite, selectionSets: readonly SelectionSetNode[]): Member[] {
    const fields = new Map<string, { nodes: FieldNode[]; conditions: (Condition | undefined)[] }>();
    for (const { selections } of selectionSets) this.#collect(type, selections, undefined, fields);
    return [...fields].map(([key, { nodes, conditions }]) => this.#member(type, key, nodes, conditions));
  }

  #member(type: Composite, key: string, nodes: FieldNode[], conditions: (Condition | undefined)[]): Member {
    const name = nodes[0]?.name.value ?? '';
    const condition = anyOf(conditions);
    const isInherited = key in Object.prototype;
    if (name === '__typename') return { key, condition, complete: identity, constant: type.name, isInherited };
    const field = type.getFields()[name];
    if (!field) throw new Error(`${type.name} has no field ${name}.`);
    return { key, condition, complete: this.#complete(field.type, nodes), isInherited };
  }

  #complete(type: GraphQLOutputType, nodes: FieldNode[]): Complete {
    if (isNonNullType(type)) {
      const inner = this.#complete(type.ofType, nodes);
      return (value, variables) => inner(value, variables) ?? this.#broken();
    }
    if (isListType(type)) return this.#list(this.#complete(type.ofType, nodes));
    if (isObjectType(type)) return this.#object(type, nodes);
    if (isAbstractType(type)) return this.#abstract(type, nodes);
    if (!isEnumType(type)) return identity;
    const values = new Set(type.getValues().map(({ name }) => name));
    return (value) => (values.has(value as string) ? value : null);
  }

  #object(type: Composite, nodes: FieldNode[]): Complete {
    const members = this.members(type, selectionSetsOf(nodes));
    return (value, variables) => (isObject(value) ? nullIfBroken(this.projectObject(members, value, variables)) : null);
  }

  #broken(): typeof BROKEN {
    this.trace.begin();
    return BROKEN;
  }

  projectObject(members: readonly Member[], data: JsonObject, variables: Variables): JsonObject | typeof BROKEN {
    const { trace } = this;
    const result: JsonObject = {};
    let isBroken = false;
    let isTraced = false;
    for (const { key, condition, complete, constant, isInherited } of members) {
      if (condition && !condition(variables)) continue;
      const fetched = isInherited && !Object.hasOwn(data, key) ? undefined : data[key];
      const value = constant ?? complete(fetched, variables);
      if (trace.isOpen) isTraced = trace.pass(key);
      if (value === BROKEN) {
        isBroken = true;
        // a record that is gone is null where null may stand, and no error
        if (isTraced && trace.isHere && isGone(data)) {
          trace.reset();
          isTraced = false;
        }
        break;
      }
      result[key] = value ?? null;
    }
    if (isTraced) trace.goOn();
    return isBroken ? BROKEN : result;
  }

  #list(complete: Complete): Complete {
    const { trace } = this;
    return (value, variables) => {
      if (!Array.isArray(value)) return null;
      const items: unknown[] = new Array(value.length);
      let isBroken = false;
      let isTraced = false;
      for (let index = 0; index < value.length && !isBroken; index += 1) {
        const item = complete(value[index], variables);
        if (trace.isOpen) isTraced = trace.pass(index);
        isBroken = item === BROKEN;
        items[index] = item ?? null;
      }
      if (isTraced) trace.goOn();
      return isBroken ? null : items;
    };
  }

  /** What an interface or union holds is known by its `__typename`, which plans fetch where it matters. Compiled as types turn up. */
  #abstract(declared: GraphQLAbstractType, nodes: FieldNode[]): Complete {
    const byType = new Map<unknown, Complete>();
    return (value, variables) => {
      if (!isObject(value)) return null;
      const { __typename: typename } = value;
      let complete = byType.get(typename);
      if (!complete) {
        const type = typename === undefined ? declared : this.schema.getType(String(typename));
        if (!isObjectType(type) && !isInterfaceType(type)) return null;
        complete = this.#object(type, nodes);
        byType.set(typename, complete);
      }
      return complete(value, variables);
    };
  }

  #collect(
    type: Composite,
    selections: readonly SelectionNode[],
    outer: Condition | undefined,
    into: Map<string, { nodes: FieldNode[]; conditions: (Condition | undefined)[] }>,
  ): void {
    for (const selection of selections) {
      const condition = allOf(outer, conditionOf(selection));
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        if (key === PROTOTYPE) continue;
        const entry = into.get(key) ?? { nodes: [], conditions: [] };
        entry.nodes.push(selection);
        entry.conditions.push(condition);
        into.set(key, entry);
        continue;
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(selection.name.value) : selection;
      if (fragment && this.#covers(fragment.typeCondition?.name.value, type))
        this.#collect(type, fragment.selectionSet.selections, condition, into);
    }
  }

  #covers(name: string | undefined, type: Composite): boolean {
    if (!name || name === type.name) return true;
    const condition = this.schema.getType(name);
    return isAbstractType(condition) && this.schema.isSubType(condition, type);
  }
}

const identity: Complete = (value) => value;
const selectionSetsOf = (nodes: FieldNode[]): SelectionSetNode[] =>
  nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));
const nullIfBroken = (value: unknown): unknown => (value === BROKEN ? null : value);

/** @skip and @include of a selection; undefined where it always counts. */
function conditionOf({ directives = [] }: SelectionNode): Condition | undefined {
  const conditions = directives
    .filter(({ name }) => name.value === 'skip' || name.value === 'include')
    .map(({ name, arguments: args = [] }): Condition => {
      const wanted = name.value === 'include';
      const node = args.find((argument) => argument.name.value === 'if')?.value;
      return (variables) => (node ? Boolean(valueFromASTUntyped(node, variables as never)) === wanted : true);
    });
  return conditions.reduce<Condition | undefined>(allOf, undefined);
}

function allOf(one: Condition | undefined, other: Condition | undefined): Condition | undefined {
  if (!one || !other) return one ?? other;
  return (variables) => one(variables) && other(variables);
}

function anyOf(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  if (conditions.some((condition) => condition === undefined)) return undefined;
  return (variables) => conditions.some((condition) => condition?.(variables));
}
