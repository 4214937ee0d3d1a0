import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLInterfaceType,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { DistinctOperation } from './distinct.ts';
import { compileLeaf } from './leaf.ts';
import { isGone, isIncomplete, isObject, type JsonObject, PROTOTYPE } from './merge.ts';
import { type Problem, Problems } from './problems.ts';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/**
 * The field that replaces the selection of an object if `@skip` and `@include` remove all of its fields, because
 * GraphQL allows no empty selection. It is fetched, but left out of the response.
 */
const NOTHING: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };
export const NOTHING_SELECTED: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [NOTHING] };

/**
 * Result of completing a null that the schema does not allow, or a value of a wrong type. The nearest nullable field or
 * list item that contains the value becomes null.
 */
const BROKEN = Symbol('null where none is allowed');
type Complete = (value: unknown) => unknown;

interface ResponseField {
  /** The key of the field in the response. `source` is its key in the fetched data. */
  key: string;
  source: string;
  complete: Complete;
  /** The name of the type, if the field is `__typename`. Undefined for all other fields. */
  constant?: string;
  /**
   * True if every JavaScript object inherits a property with this name, such as `constructor`. An inherited property is
   * not a fetched value.
   */
  isInherited: boolean;
}

/**
 * Builds the response data from the fetched data, and lists the places where the fetched data does not match the
 * schema.
 */
export type Project = (data: JsonObject) => { data: JsonObject | null; problems: readonly Problem[] };

/**
 * Compiles the projection of an operation, which builds the response. The operation must have no `@skip` or `@include`.
 * Fields are in selection order, under their response keys. Fields that only the plan needed are left out.
 * Values of a wrong type and invalid nulls are reported, and make the nearest nullable field null.
 */
export function compileProjection(schema: GraphQLSchema, { operation, fragments, renamed }: DistinctOperation): Project {
  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`The schema has no ${operation.operation}.`);
  const compiler = new Compiler(schema, fragments, renamed);
  const fields = compiler.fieldsOf(root, [operation.selectionSet]);
  return (data) => {
    compiler.problems = new Problems();
    const result = compiler.projectObject(fields, data);
    return { data: result === BROKEN ? null : (result as JsonObject | null), problems: compiler.problems.found };
  };
}

type Composite = GraphQLObjectType | GraphQLInterfaceType;

class Compiler {
  /** The problems of the current response. Projections are synchronous, so only one runs at a time. */
  problems = new Problems();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: Fragments,
    private readonly renamed: DistinctOperation['renamed'],
  ) {}

  fieldsOf(type: Composite, selectionSets: readonly SelectionSetNode[]): ResponseField[] {
    const fields = new Map<string, FieldNode[]>();
    for (const selectionSet of selectionSets) this.#collect(type, selectionSet, fields);
    return [...fields].map(([key, nodes]) => this.#fieldOf(type, key, nodes));
  }

  #fieldOf(type: Composite, source: string, nodes: FieldNode[]): ResponseField {
    const name = nodes[0]?.name.value ?? '';
    const key = this.renamed.get(source) ?? source;
    const isInherited = source in Object.prototype;
    if (name === '__typename') return { key, source, complete: identity, constant: type.name, isInherited };
    const field = type.getFields()[name];
    if (!field) throw new Error(`${type.name} has no field ${name}.`);
    return { key, source, complete: this.#complete(field.type, nodes), isInherited };
  }

  #complete(type: GraphQLOutputType, nodes: FieldNode[]): Complete {
    const nullable = isNonNullType(type) ? type.ofType : type;
    if (isLeafType(nullable)) return this.#leaf(nullable, nullable === type);
    if (isNonNullType(type)) {
      const complete = this.#present(type.ofType, nodes);
      return (value) => complete(value) ?? this.#broken('null');
    }
    const complete = this.#present(type, nodes);
    return (value) => {
      const completed = complete(value);
      return completed === BROKEN ? null : completed;
    };
  }

  /**
   * Compiles the function that completes values of a list, object, interface or union type (CompleteValue in the GraphQL specification).
   * The compiled function returns `BROKEN` if the value is invalid or contains a null that the schema does not allow.
   * It returns null or undefined if the value is absent or its record no longer exists.
   */
  #present(type: GraphQLOutputType, nodes: FieldNode[]): Complete {
    if (isListType(type)) return this.#list(this.#complete(type.ofType, nodes));
    if (isObjectType(type)) return this.#object(type, nodes);
    if (isAbstractType(type)) return this.#abstract(type, nodes);
    return identity;
  }

  /**
   * Compiles the function that completes values of a scalar or enum type. The compiled function also handles null, because
   * one call per value is faster, and most values of a response are scalars.
   */
  #leaf(type: GraphQLLeafType, isNullable: boolean): Complete {
    const read = compileLeaf(type);
    return (value) => {
      const leaf = read(value);
      if (leaf !== undefined && leaf !== null) return leaf;
      const isAbsent = value === undefined || value === null;
      if (isAbsent && isNullable) return value;
      const broken = isAbsent ? this.#broken('null') : this.#broken('mistyped', type.name);
      return isNullable ? null : broken;
    };
  }

  #object(type: Composite, nodes: FieldNode[]): Complete {
    const fields = this.fieldsOf(type, selectionSetsOf(nodes));
    return (value) => {
      if (isObject(value)) return this.projectObject(fields, value);
      return value ? this.#broken('mistyped', type.name) : this.#absent(value, type.name);
    };
  }

  #absent(value: unknown, type: string): unknown {
    return value === undefined || value === null ? value : this.#broken('mistyped', type);
  }

  #broken(kind: Problem['kind'], type?: string): typeof BROKEN {
    this.problems.add(kind, type);
    return BROKEN;
  }

  projectObject(fields: readonly ResponseField[], data: JsonObject): unknown {
    const { problems } = this;
    const depth = problems.enter();
    const result: JsonObject = {};
    for (const { key, source, complete, constant, isInherited } of fields) {
      problems.path[depth] = source;
      const fetched = isInherited && !Object.hasOwn(data, source) ? undefined : data[source];
      const value = constant ?? complete(fetched);
      if (value === BROKEN) {
        // an object whose record no longer exists becomes null without an error, if the schema allows null for it
        const isNull = problems.collapse(depth, isGone(data));
        problems.leave(depth);
        return isNull ? null : BROKEN;
      }
      if (value === undefined && !isIncomplete(data)) problems.add('missing');
      result[key] = value ?? null;
    }
    problems.leave(depth);
    return result;
  }

  #list(complete: Complete): Complete {
    return (value) => {
      if (!Array.isArray(value)) return this.#absent(value, 'a list');
      const { problems } = this;
      const depth = problems.enter();
      const items: unknown[] = new Array(value.length);
      for (let index = 0; index < value.length; index += 1) {
        problems.path[depth] = index;
        const item = complete(value[index]);
        if (item === BROKEN) {
          problems.collapse(depth, false);
          problems.leave(depth);
          return BROKEN;
        }
        items[index] = item ?? null;
      }
      problems.leave(depth);
      return items;
    };
  }

  /**
   * Compiles the function that completes values of an interface or union type. `withTypenames` adds the field `__typename`
   * to the operation. The `__typename` of a value determines its object type. Each object type is compiled at its first use.
   */
  #abstract(declared: GraphQLAbstractType, nodes: FieldNode[]): Complete {
    const byType = new Map<unknown, Complete>();
    return (value) => {
      if (!isObject(value)) return this.#absent(value, declared.name);
      const { __typename: typename } = value;
      let complete = byType.get(typename);
      if (!complete) {
        const type = this.#concrete(declared, typename);
        if (!type) return this.#broken('mistyped', declared.name);
        complete = this.#object(type, nodes);
        byType.set(typename, complete);
      }
      return complete(value);
    };
  }

  #concrete(declared: GraphQLAbstractType, typename: unknown): Composite | undefined {
    const type = typename === undefined ? declared : this.schema.getType(String(typename));
    if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
    return type === declared || this.schema.isSubType(declared, type) ? type : undefined;
  }

  #collect(type: Composite, { selections }: SelectionSetNode, into: Map<string, FieldNode[]>): void {
    for (const selection of selections) {
      if (selection === NOTHING) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        if (key === PROTOTYPE) continue;
        const nodes = into.get(key);
        if (nodes) nodes.push(selection);
        else into.set(key, [selection]);
        continue;
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(selection.name.value) : selection;
      if (fragment && this.#covers(fragment.typeCondition?.name.value, type)) this.#collect(type, fragment.selectionSet, into);
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
