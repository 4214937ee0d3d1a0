import {
  type DocumentNode,
  type FieldDefinitionNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { type Fragments, INTROSPECTION, type OperationLimits } from './limits.ts';
import type { Variables } from './transport.ts';

/**
 * Arguments that set the maximum number of items in a list. The list can be the field itself, or inside the page that
 * the field returns.
 */
const SIZE_ARGUMENTS: ReadonlySet<string> = new Set(['limit', 'perPage', 'first', 'last']);

/**
 * The number of items in a list: a constant, or the value of a variable. If the variable is an input object, `fields`
 * are the fields of this object that contain the number.
 */
type ListSize = number | { variable: string; fields: readonly string[]; fallback: number };

/**
 * The cost of a selection. `objects` is the cost of everything that occurs once. The cost of a list is the cost of one
 * item multiplied by the size of the list.
 */
interface CostNode {
  objects: number;
  lists: { size: ListSize; item: CostNode }[];
}

/**
 * Costs that the supergraph declares, by type and field. They are the weight of a field with a large text (`@cost`) and
 * the assumed size of a list (`@listSize`).
 */
export type DeclaredCosts = ReadonlyMap<string, { weight: number; size: number | undefined }>;

export const declaredCostsOf = ({ definitions }: DocumentNode): DeclaredCosts =>
  new Map(
    definitions.flatMap((definition) =>
      definition.kind === Kind.OBJECT_TYPE_DEFINITION
        ? (definition.fields ?? []).map((field) => {
            const declared = { weight: numberIn(field, 'cost', 'weight') ?? 0, size: numberIn(field, 'listSize', 'assumedSize') };
            return [`${definition.name.value}.${field.name.value}`, declared] as const;
          })
        : [],
    ),
  );

function numberIn({ directives = [] }: FieldDefinitionNode, directive: string, argument: string): number | undefined {
  const found = directives.find(({ name }) => name.value === directive)?.arguments?.find(({ name }) => name.value === argument);
  return found?.value.kind === Kind.INT ? Number(found.value.value) : undefined;
}

/**
 * Compiles the function that computes the cost of an operation. Each object that the response may have costs 1, and a
 * field with `@cost` costs its weight. The size of a list is taken from its size argument. If no size depends on a
 * variable, the cost is computed only once. The operation must already be validated, and be within the other limits of
 * `OperationLimits`.
 */
export function compileCost(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Fragments,
  sizes: Pick<OperationLimits, 'pageSize' | 'listSize'>,
  declared: DeclaredCosts,
): (variables: Variables) => number {
  const root = schema.getRootType(operation.operation);
  if (!root) return () => 0;
  const node = new CostCompiler(schema, fragments, defaultsOf(operation), sizes, declared).compile(operation.selectionSet, root, undefined);
  if (!hasVariable(node)) {
    const constant = evaluate(node, {});
    return () => constant;
  }
  return (variables) => evaluate(node, variables);
}

class CostCompiler {
  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: Fragments,
    private readonly defaults: ReadonlyMap<string, number>,
    private readonly sizes: Pick<OperationLimits, 'pageSize' | 'listSize'>,
    private readonly declared: DeclaredCosts,
  ) {}

  /**
   * Compiles a selection set. `pageSize` is the size argument of a page such as `tickets(limit: 20) { nodes { … } }`.
   * This size applies to the list inside the page.
   */
  compile({ selections }: SelectionSetNode, parent: GraphQLCompositeType, pageSize: ListSize | undefined): CostNode {
    const node: CostNode = { objects: 0, lists: [] };
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        this.#addField(node, selection, parent, pageSize);
        continue;
      }
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.fragments.get(selection.name.value);
      if (!inner) continue;
      const condition = inner.typeCondition && this.schema.getType(inner.typeCondition.name.value);
      const spread = this.compile(inner.selectionSet, isCompositeType(condition) ? condition : parent, pageSize);
      node.objects += spread.objects;
      node.lists.push(...spread.lists);
    }
    return node;
  }

  #addField(node: CostNode, field: FieldNode, parent: GraphQLCompositeType, pageSize: ListSize | undefined): void {
    const definition = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[field.name.value] : undefined;
    if (!definition || INTROSPECTION.has(field.name.value)) return;
    const declared = this.declared.get(`${parent.name}.${field.name.value}`);
    node.objects += declared?.weight ?? 0;
    if (!field.selectionSet) return;
    const type = getNamedType(definition.type);
    if (!isCompositeType(type)) return;

    const ownSize = this.#sizeOf(field, definition);
    const isList = isListType(isNonNullType(definition.type) ? definition.type.ofType : definition.type);
    const item = this.compile(field.selectionSet, type, isList ? undefined : ownSize);
    item.objects += 1;
    if (isList) {
      node.lists.push({ size: ownSize ?? pageSize ?? declared?.size ?? this.sizes.listSize, item });
    } else {
      node.objects += item.objects;
      node.lists.push(...item.lists);
    }
  }

  /** Returns the list size that an argument states, directly or in an input object such as `page: { limit: 20 }`. */
  #sizeOf({ arguments: given = [] }: FieldNode, definition: GraphQLField<unknown, unknown>): ListSize | undefined {
    const sizing = definition.args.flatMap((argument) => {
      const fields = SIZE_ARGUMENTS.has(argument.name) ? [] : sizeFields(argument.type);
      return fields ? [{ argument, fields, value: given.find(({ name }) => name.value === argument.name)?.value }] : [];
    });
    const used = sizing.find(({ value }) => value) ?? sizing[0];
    if (!used) return undefined;
    const { argument, fields, value } = used;
    const fallback = typeof argument.defaultValue === 'number' ? argument.defaultValue : this.sizes.pageSize;
    return this.#sizeIn(value, fields, fallback);
  }

  #sizeIn(value: ValueNode | undefined, fields: readonly string[], fallback: number): ListSize {
    if (value?.kind === Kind.INT) return Math.max(0, Number(value.value));
    if (value?.kind === Kind.OBJECT) return this.#sizeIn(value.fields.find(({ name }) => fields.includes(name.value))?.value, [], fallback);
    if (value?.kind !== Kind.VARIABLE) return fallback;
    const variable = value.name.value;
    return { variable, fields, fallback: this.defaults.get(variable) ?? fallback };
  }
}

/** Returns true if an argument sets the maximum number of items, directly or in a field of its input object. */
export const isSized = (name: string, type: GraphQLInputType): boolean => SIZE_ARGUMENTS.has(name) || sizeFields(type) !== undefined;

/**
 * Returns the fields of an input object that set the maximum number of items. Returns undefined if the input object has
 * no such field.
 */
function sizeFields(type: GraphQLInputType): string[] | undefined {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return undefined;
  const fields = Object.keys(named.getFields()).filter((name) => SIZE_ARGUMENTS.has(name));
  return fields.length > 0 ? fields : undefined;
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Map<string, number> {
  const defaults = new Map<string, number>();
  for (const { variable, defaultValue } of variableDefinitions) {
    if (defaultValue?.kind === Kind.INT) defaults.set(variable.name.value, Number(defaultValue.value));
  }
  return defaults;
}

const hasVariable = ({ lists }: CostNode): boolean => lists.some(({ size, item }) => typeof size === 'object' || hasVariable(item));

function evaluate({ objects, lists }: CostNode, variables: Variables): number {
  let total = objects;
  for (const { size, item } of lists) total += sizeWith(size, variables) * evaluate(item, variables);
  return total;
}

function sizeWith(size: ListSize, variables: Variables): number {
  if (typeof size === 'number') return size;
  const value = variables[size.variable];
  const sizes = typeof value === 'object' && value !== null ? size.fields.map((name) => (value as Variables)[name]) : [value];
  const wanted = sizes.find((one) => typeof one === 'number');
  return wanted === undefined ? size.fallback : Math.max(0, wanted);
}
