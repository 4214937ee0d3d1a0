import { type FieldNode, type GraphQLResolveInfo, getNamedType, isObjectType, Kind, type SelectionSetNode } from 'graphql';
import { createParameterDecorator, Extensions } from 'type-graphql';

/** Names of the record fields to read. Undefined means all fields. */
export type SelectedFields = ReadonlySet<string> | undefined;

/**
 * Declares which record fields a field resolver reads. The record is the resolver's first parameter, and the type of this parameter may
 * have only these fields. If a list query selects the GraphQL field, it reads only the declared record fields. If a selected field resolver
 * lacks this decorator, the list reads whole records.
 */
export const ReadsFields =
  <const K extends string>(...fields: K[]) =>
  <M extends (record: Record<K, never>, ...rest: never[]) => unknown>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    Extensions({ reads: fields })(target, key, descriptor);
  };

/**
 * Parameter decorator of a list query. The parameter gets the names of the record fields that the query needs for the
 * selected fields of `nodes`.
 */
export const NodeFields = (): ReturnType<typeof createParameterDecorator> => createParameterDecorator(({ info }) => nodeFieldsOf(info));

/** Cached results of `nodeFieldsOf`, by the field node of the query, which is the same object for each execution. */
const known = new WeakMap<FieldNode, SelectedFields>();

function nodeFieldsOf(info: GraphQLResolveInfo): SelectedFields {
  const [first] = info.fieldNodes as [FieldNode];
  // a field that occurs twice in the query gets new merged nodes in each execution, so its result cannot be cached
  const isOne = info.fieldNodes.length === 1;
  if (isOne && known.has(first)) return known.get(first);
  const nodes = info.fieldNodes.flatMap((node) => fieldsOf(info, node.selectionSet)).filter(({ name }) => name.value === 'nodes');
  const reads = nodes.flatMap((node) => fieldsOf(info, node.selectionSet)).map(({ name }) => readBy(info, name.value));
  const fields = reads.every((names) => names !== undefined) ? new Set(reads.flat()) : undefined;
  if (isOne) known.set(first, fields);
  return fields;
}

/**
 * Returns the selected fields. The result includes fields that `@skip` and `@include` may omit, so that it depends only
 * on the document.
 */
function fieldsOf(info: GraphQLResolveInfo, set: SelectionSetNode | undefined): FieldNode[] {
  return (set?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    return fieldsOf(
      info,
      selection.kind === Kind.INLINE_FRAGMENT ? selection.selectionSet : info.fragments[selection.name.value]?.selectionSet,
    );
  });
}

/**
 * Returns the record fields that a GraphQL field reads. Without a resolver, it reads the record field with its own
 * name.
 */
function readBy({ returnType }: GraphQLResolveInfo, name: string): readonly string[] | undefined {
  if (name === '__typename') return [];
  const page = getNamedType(returnType);
  const record = isObjectType(page) ? getNamedType(page.getFields().nodes?.type) : undefined;
  const field = isObjectType(record) ? record.getFields()[name] : undefined;
  if (!field?.resolve) return [name];
  return field.extensions.reads as readonly string[] | undefined;
}
