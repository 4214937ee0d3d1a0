import {
  type ArgumentNode,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { PreparedOperation } from './documents.ts';
import type { ExecutableSupergraph } from './executable-supergraph.ts';
import { RunErrors } from './execution/errors.ts';
import { isObject } from './execution/merge.ts';
import { compileProjection } from './execution/projection.ts';
import { withTypenames } from './execution/typenames.ts';
import { type Fragments, rootFields } from './limits.ts';

/** The plan to execute a subscription. */
export interface LivePlan {
  /** Name of the subgraph that streams the events. */
  owner: string;
  /** The subscription that is sent to the subgraph `owner`. */
  document: DocumentNode;
  /** The query that loads the record of each event. It is set only if the selection needs other subgraphs. */
  read?: LiveRead;
  /** Builds the response from an event of the subgraph `owner`, or from the result of `read`. */
  complete(result: ExecutionResult): ExecutionResult;
  field: FieldNode;
  /** The response key of the subscription field. */
  responseKey: string;
  isNullable: boolean;
}

export interface LiveRead {
  document: DocumentNode;
  /** The variables of the query, each with the field of the event that provides its value. */
  keys: ReadonlyMap<string, string>;
}

/** The reason why a subscription is not possible. */
export class NotSubscribable {
  constructor(readonly reason: string) {}
}

const KEY = 'id';
/**
 * Returns a variable name that cannot occur in the client's operation. A client's variable must not start with two
 * underscores.
 */
const variableOf = (field: string): string => `__${field}`;

/**
 * Plans a subscription. The subgraph that owns the field streams the events.
 * If the owner can resolve the whole selection, its events are the results.
 * Otherwise, the owner sends only the key of the record, and `Query.<type>(id: ID!)` loads the selection. If this query
 * field has other required arguments, their values are the fields of the record with the same names:
 * `webhookDelivery(webhookId: ID!, id: ID!)`.
 */
export function planLive(graph: ExecutableSupergraph, { node, fragments }: PreparedOperation): LivePlan | NotSubscribable {
  const { schema, joins } = graph;
  const root = schema.getSubscriptionType();
  const field = rootField(node, fragments);
  if (!root || !field) return new NotSubscribable('This subscription is empty: all of its fields are skipped.');
  if (field === 'several') return new NotSubscribable('A subscription must select exactly one field.');
  const definition = root.getFields()[field.name.value];
  if (!definition) return new NotSubscribable(`${field.name.value} is not a subscription field.`);
  const type = getNamedType(definition.type);
  const isNullable = !isNonNullType(definition.type);
  const responseKey = keyOf(field);
  const owners = joins.ownersOf(root.name, definition.name);

  const whole = operationWith(node, 'subscription', [field], fragments);
  const answering = owners.find((owner) => answersAll(graph, owner, whole));
  const nameOf = (owner: string): string => joins.graphs.get(owner)?.name ?? owner;
  const common = {
    field,
    responseKey,
    isNullable,
    complete: compileCompletion(graph, { ...node, selectionSet: selectionOf(field) }, fragments),
  };
  if (answering) return { ...common, owner: nameOf(answering), document: withTypenames(schema, whole) };

  const isList = isListType(isNonNullType(definition.type) ? definition.type.ofType : definition.type);
  const reader = isObjectType(type) ? readerOf(schema, type) : undefined;
  const owner = owners.find((one) => reader?.args.every(({ name: key }) => joins.answers(one, type.name, key)));
  if (!owner || isList || !reader) {
    return new NotSubscribable(
      `${definition.name} can select only fields of ${owners.map(nameOf).join(', ')}, because its records cannot be loaded by ${KEY}.`,
    );
  }
  const keys = reader.args.map(({ name: key }) => key);
  const document = operationWith(node, 'subscription', [{ ...field, selectionSet: selecting('__typename', ...keys) }], fragments);
  const read = {
    // the result of the query is projected again for the subscription, which needs `__typename` in interfaces and
    // unions
    document: withTypenames(
      schema,
      readOperation(node, { ...field, name: name(reader.name), alias: name(responseKey) }, reader.args, fragments),
    ),
    keys: new Map(keys.map((key) => [variableOf(key), key])),
  };
  return { ...common, owner: nameOf(owner), document, read };
}

/** Compiles the projection that validates and completes a subgraph's events, as in responses to queries. */
function compileCompletion({ schema }: ExecutableSupergraph, node: OperationDefinitionNode, fragments: Fragments): LivePlan['complete'] {
  const project = compileProjection(schema, { operation: node, fragments, renamed: new Map() });
  return (result) => {
    if (!isObject(result.data)) return result;
    const { data, problems } = project(result.data);
    if (problems.length === 0) return { ...result, data };
    const failures = new RunErrors();
    for (const error of result.errors ?? []) failures.add(error);
    const errors = failures.complete(problems);
    return errors.length > 0 ? { ...result, data, errors } : { ...result, data };
  };
}

/**
 * Returns the only root field, or `several` if there is more than one. If the same field is selected repeatedly, the
 * selections are merged.
 */
function rootField(node: OperationDefinitionNode, fragments: Fragments): FieldNode | 'several' | undefined {
  const fields = rootFields(node, fragments);
  const [first] = fields;
  if (!first || fields.length === 1) return first;
  if (fields.some((field) => keyOf(field) !== keyOf(first))) return 'several';
  const selections = fields.flatMap((field) => field.selectionSet?.selections ?? []);
  return { ...first, selectionSet: { kind: Kind.SELECTION_SET, selections } };
}

interface Reader {
  name: string;
  /** The arguments that identify the record: `id`, and all other required arguments of the Query field. */
  args: readonly GraphQLArgument[];
}

/**
 * Returns the Query field that loads a record of this type. The required arguments of this Query field must be fields
 * of the record.
 */
function readerOf(schema: GraphQLSchema, type: GraphQLObjectType): Reader | undefined {
  const reader = `${type.name.charAt(0).toLowerCase()}${type.name.slice(1)}`;
  const field = schema.getQueryType()?.getFields()[reader];
  if (!field || getNamedType(field.type) !== type) return undefined;
  const args = field.args.filter((argument) => argument.name === KEY || isRequiredArgument(argument));
  const fields = type.getFields();
  const isKey = args.every((argument) => fields[argument.name] && String(fields[argument.name]?.type) === String(argument.type));
  return isKey && args.some((argument) => argument.name === KEY) ? { name: reader, args } : undefined;
}

function readOperation(
  node: OperationDefinitionNode,
  field: FieldNode,
  keys: readonly GraphQLArgument[],
  fragments: Fragments,
): DocumentNode {
  const given = keys.map(
    (key): ArgumentNode => ({
      kind: Kind.ARGUMENT,
      name: name(key.name),
      value: { kind: Kind.VARIABLE, name: name(variableOf(key.name)) },
    }),
  );
  const directives: DirectiveNode[] = [];
  const read = operationWith(node, 'query', [{ ...field, arguments: given, directives }], fragments);
  const [operation, ...rest] = read.definitions as [OperationDefinitionNode, ...DefinitionNode[]];
  const variables = keys.map(({ name: key, type }) => `$${variableOf(key)}: ${type}`).join(', ');
  const own = parse(`query (${variables}) { _ }`).definitions[0] as OperationDefinitionNode;
  const variableDefinitions = [...(operation.variableDefinitions ?? []), ...(own.variableDefinitions ?? [])];
  return parse(print({ kind: Kind.DOCUMENT, definitions: [{ ...operation, variableDefinitions }, ...rest] }), { noLocation: true });
}

/** Builds an operation with these root fields. It contains only the fragments and variables that they use. */
function operationWith(
  node: OperationDefinitionNode,
  operation: 'query' | 'subscription',
  fields: FieldNode[],
  fragments: Fragments,
): DocumentNode {
  const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: fields };
  const used = new Map<string, DefinitionNode>();
  const variables = new Set<string>();
  const collect = (part: SelectionSetNode): void => {
    visit(part, {
      Variable: ({ name: { value } }) => void variables.add(value),
      FragmentSpread({ name: { value } }) {
        const fragment = fragments.get(value);
        if (!fragment || used.has(value)) return;
        used.set(value, fragment);
        collect(fragment.selectionSet);
      },
    });
  };
  collect(selectionSet);
  const variableDefinitions = (node.variableDefinitions ?? []).filter(({ variable }) => variables.has(variable.name.value));
  const definition: OperationDefinitionNode = {
    ...node,
    operation: operation as OperationDefinitionNode['operation'],
    directives: [],
    variableDefinitions,
    selectionSet,
  };
  return { kind: Kind.DOCUMENT, definitions: [definition, ...used.values()] };
}

/** Returns true if one subgraph defines all types and can resolve all fields of a document. */
function answersAll({ schema, joins }: ExecutableSupergraph, graph: string, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let all = true;
  const knows = (type: GraphQLCompositeType | null | undefined): boolean => !type || joins.knowsType(graph, type.name);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field({ name: { value } }) {
        const parent = types.getParentType();
        if (value === '__typename' || !parent) return;
        const selected = getNamedType(types.getType());
        if (!(isObjectType(parent) || isInterfaceType(parent)) || !joins.answers(graph, parent.name, value)) all = false;
        if (isCompositeType(selected) && !knows(selected)) all = false;
      },
      InlineFragment({ typeCondition }) {
        if (typeCondition && !joins.knowsType(graph, typeCondition.name.value)) all = false;
      },
      FragmentDefinition({ typeCondition }) {
        if (!joins.knowsType(graph, typeCondition.name.value)) all = false;
      },
    }),
  );
  return all;
}

const keyOf = ({ alias, name: { value } }: FieldNode): string => alias?.value ?? value;
const selectionOf = (field: FieldNode): SelectionSetNode => ({ kind: Kind.SELECTION_SET, selections: [field] });
const name = (value: string) => ({ kind: Kind.NAME, value }) as const;
const selecting = (...names: string[]): SelectionSetNode => ({
  kind: Kind.SELECTION_SET,
  selections: names.map((value): SelectionNode => ({ kind: Kind.FIELD, name: name(value) })),
});
