import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  parse,
  print,
  type SelectionSetNode,
  validate,
  visit,
} from 'graphql';

const TYPENAME: SelectionSetNode = {
  kind: Kind.SELECTION_SET,
  selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } } satisfies FieldNode],
};

/** Removes parts of a document one at a time, as long as `fails` stays true, until nothing more can be removed. */
export async function shrink(schema: GraphQLSchema, text: string, fails: (text: string) => Promise<boolean>): Promise<string> {
  let smallest = text;
  for (let hasShrunk = true; hasShrunk; ) {
    hasShrunk = false;
    for (const candidate of smaller(parse(smallest, { noLocation: true }))) {
      const next = print(withoutUnused(candidate));
      if (next.length >= print(parse(smallest)).length || validate(schema, parse(next)).length > 0 || !(await fails(next))) continue;
      smallest = next;
      hasShrunk = true;
      break;
    }
  }
  return print(parse(smallest));
}

/** Yields the document without one of its nodes, for each removable node; the largest node is removed first. */
function* smaller(document: DocumentNode): Generator<DocumentNode> {
  const targets: ASTNode[] = [];
  visit(document, {
    enter(node) {
      const isRemovable = [
        Kind.FIELD,
        Kind.INLINE_FRAGMENT,
        Kind.FRAGMENT_SPREAD,
        Kind.DIRECTIVE,
        Kind.ARGUMENT,
        Kind.OBJECT_FIELD,
      ].includes(node.kind as Kind.FIELD);
      if (isRemovable) targets.push(node);
    },
  });
  for (const target of targets) {
    if (target.kind === Kind.FIELD && target.selectionSet) yield replaced(document, target, { ...target, selectionSet: TYPENAME });
    if (target.kind === Kind.INLINE_FRAGMENT) yield hoisted(document, target);
    yield replaced(document, target, null);
  }
}

const replaced = (document: DocumentNode, target: ASTNode, by: ASTNode | null): DocumentNode =>
  visit(document, { enter: (node) => (node === target ? by : undefined), SelectionSet: { leave: notEmpty } });

const notEmpty = (node: SelectionSetNode): SelectionSetNode | undefined => (node.selections.length === 0 ? TYPENAME : undefined);

/** Replaces fragment spreads with the contents of their fragments. */
const hoisted = (document: DocumentNode, target: ASTNode): DocumentNode =>
  visit(document, {
    SelectionSet: (node) => {
      if (!node.selections.includes(target as never)) return undefined;
      const selections = node.selections.flatMap((selection) =>
        selection === target && selection.kind === Kind.INLINE_FRAGMENT ? selection.selectionSet.selections : [selection],
      );
      return { ...node, selections };
    },
  });

function withoutUnused(document: DocumentNode): DocumentNode {
  const text = print(document);
  const isSpread = (name: string): boolean => new RegExp(`\\.\\.\\.${name}\\b`).test(text);
  const kept = document.definitions.filter((definition) => definition.kind !== Kind.FRAGMENT_DEFINITION || isSpread(definition.name.value));
  if (kept.length < document.definitions.length) return withoutUnused({ ...document, definitions: kept });
  const used = new Set<string>();
  visit(document, { VariableDefinition: () => false, Variable: ({ name }) => void used.add(name.value) });
  return visit(document, { VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? undefined : null) });
}
