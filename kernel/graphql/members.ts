import { type FieldNode, type GraphQLResolveInfo, getNamedType, isObjectType, Kind, type SelectionSetNode } from 'graphql';
import { createParameterDecorator, Extensions } from 'type-graphql';

/** Names of the members that are read of each record; undefined where any of them may be asked for. */
export type Members = ReadonlySet<string> | undefined;

/**
 * States which members of its record, the first parameter, a field resolver reads: a list that shows the field need not read the
 * others. The type of the parameter has these alone. A field resolver without it has the record read whole.
 */
export const Reads =
  <const K extends string>(...members: K[]) =>
  <M extends (record: Record<K, never>, ...rest: never[]) => unknown>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    Extensions({ reads: members })(target, key, descriptor);
  };

/** Of a list's query: what its nodes must have so that what is selected of them can be answered. */
export const NodeMembers = (): ReturnType<typeof createParameterDecorator> => createParameterDecorator(({ info }) => nodeMembersOf(info));

/** By the field of the query, which is the same object each time. */
const known = new WeakMap<FieldNode, Members>();

function nodeMembersOf(info: GraphQLResolveInfo): Members {
  const [first] = info.fieldNodes as [FieldNode];
  // a field that is written out twice is put together anew each time
  const isOne = info.fieldNodes.length === 1;
  if (isOne && known.has(first)) return known.get(first);
  const nodes = info.fieldNodes.flatMap((node) => fieldsOf(info, node.selectionSet)).filter(({ name }) => name.value === 'nodes');
  const reads = nodes.flatMap((node) => fieldsOf(info, node.selectionSet)).map(({ name }) => readBy(info, name.value));
  const members = reads.every((names) => names !== undefined) ? new Set(reads.flat()) : undefined;
  if (isOne) known.set(first, members);
  return members;
}

/** With those that `@skip` and `@include` may leave out: one document, one answer. */
function fieldsOf(info: GraphQLResolveInfo, set: SelectionSetNode | undefined): FieldNode[] {
  return (set?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    return fieldsOf(
      info,
      selection.kind === Kind.INLINE_FRAGMENT ? selection.selectionSet : info.fragments[selection.name.value]?.selectionSet,
    );
  });
}

/** A field without a resolver reads the member of its name. */
function readBy({ returnType }: GraphQLResolveInfo, name: string): readonly string[] | undefined {
  if (name === '__typename') return [];
  const page = getNamedType(returnType);
  const record = isObjectType(page) ? getNamedType(page.getFields().nodes?.type) : undefined;
  const field = isObjectType(record) ? record.getFields()[name] : undefined;
  if (!field?.resolve) return [name];
  return field.extensions.reads as readonly string[] | undefined;
}
