import { type ArgumentNode, type FieldNode, Kind, type OperationDefinitionNode, print, type SelectionSetNode, visit } from 'graphql';
import { sortValueNode } from 'graphql/utilities/sortValueNode.js';
import type { Path } from './path.ts';
import type { Fragments } from './projection.ts';

/**
 * An operation in which each response key belongs to only one field with one set of arguments. No response key equals
 * the name of another field.
 */
export interface DistinctOperation {
  operation: OperationDefinitionNode;
  fragments: Fragments;
  /** Maps each new response key to the client's response key that it has replaced. */
  renamed: ReadonlyMap<string, string>;
}

/**
 * Replaces response keys that the planner (0.0.38) does not support:
 * - A key that belongs to different fields, which GraphQL allows in fragments on different types. The planner merges
 *   these fields into one selection, and crashes if they differ.
 * - Any other alias that differs from the name of its field. The alias may equal the name of a field that the planner
 *   adds to identify entities. In `{ accounts { id: name services { id } } }`, the planner would use the name of an
 *   account as its id.
 *
 * Removes an alias that equals the name of its field. The planner crashes if the field is also selected without the
 * alias: `{ by { name } ... on Book { by { name: name } } }`.
 */
export function distinguish(operation: OperationDefinitionNode, fragments: Fragments): DistinctOperation {
  const meanings = meaningsOf(operation, fragments);
  const renamed = new Map<string, string>();
  const names = new Map<string, Map<string, string>>();
  for (const [key, texts] of meanings) {
    const own = [...texts].find(([, name]) => name === key)?.[0];
    const others = [...texts.keys()].filter((text) => text !== own);
    names.set(key, new Map(others.map((text) => [text, unusedName(key, meanings, renamed)])));
  }

  const rename = <N extends OperationDefinitionNode | SelectionSetNode>(node: N): N =>
    visit(node, {
      Field: {
        leave(field) {
          const value = names.get(keyOf(field))?.get(meaningOf(field));
          if (!value && !field.alias && !field.arguments?.length) return undefined;
          return { ...field, alias: value ? { kind: Kind.NAME, value } : undefined, arguments: argumentsOf(field) };
        },
      },
    });
  const renamedFragments = [...fragments].map(
    ([name, fragment]) => [name, { ...fragment, selectionSet: rename(fragment.selectionSet) }] as const,
  );
  return { operation: rename(operation), fragments: new Map(renamedFragments), renamed };
}

/** Returns true if the operation selects the field at a response path, for at least one type. */
export function selects({ operation, fragments }: DistinctOperation, path: Path): boolean {
  let sets: SelectionSetNode[] = [operation.selectionSet];
  const keys = path.filter((step) => typeof step === 'string');
  return keys.every((key) => {
    const fields = sets.flatMap((set) => fieldsOf(set, fragments)).filter((field) => keyOf(field) === key);
    sets = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
    return fields.length > 0;
  });
}

function fieldsOf({ selections }: SelectionSetNode, fragments: Fragments): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return selection;
    const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
    return inner ? fieldsOf(inner.selectionSet, fragments) : [];
  });
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

/** Returns the arguments of a field in a fixed order, also inside objects, because GraphQL ignores the order. */
const argumentsOf = ({ arguments: args = [] }: FieldNode): ArgumentNode[] =>
  args.map((argument) => ({ ...argument, value: sortValueNode(argument.value) })).sort((a, b) => (a.name.value < b.name.value ? -1 : 1));

const meaningOf = (field: FieldNode): string =>
  field.arguments?.length ? `${field.name.value}(${argumentsOf(field).map(print).join()})` : field.name.value;

/**
 * Returns, for each response key in the operation, the fields that have this key. They are a map from the text of a
 * field, with its arguments, to the name of the field.
 */
function meaningsOf(operation: OperationDefinitionNode, fragments: Fragments): Map<string, Map<string, string>> {
  const meanings = new Map<string, Map<string, string>>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const key = keyOf(selection);
        const known = meanings.get(key) ?? new Map<string, string>();
        meanings.set(key, known.set(meaningOf(selection), selection.name.value));
      }
      if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet) collect(selection.selectionSet);
    }
  };
  collect(operation.selectionSet);
  for (const { selectionSet } of fragments.values()) collect(selectionSet);
  return meanings;
}

function unusedName(key: string, used: ReadonlyMap<string, unknown>, renamed: Map<string, string>): string {
  for (let number = renamed.size + 1; ; number += 1) {
    const name = `_${number}_${key}`;
    if (used.has(name) || renamed.has(name)) continue;
    renamed.set(name, key);
    return name;
  }
}
