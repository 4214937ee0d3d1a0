import { type ArgumentNode, type FieldNode, Kind, type OperationDefinitionNode, print, type SelectionSetNode, visit } from 'graphql';
import { sortValueNode } from 'graphql/utilities/sortValueNode.js';
import type { Path } from './path.ts';
import type { Fragments } from './projection.ts';

/** An operation in which one response key always stands for one field with one set of arguments, and never for what another field is named. */
export interface DistinctOperation {
  operation: OperationDefinitionNode;
  fragments: Fragments;
  /** The response keys that the client gave, by those that replace them. */
  renamed: ReadonlyMap<string, string>;
}

/**
 * Gives a field another response key where its own stands for something else too, which is allowed in fragments on different
 * types. The planner (0.0.38) puts both into one selection, and where they differ it ends the process. An alias is replaced
 * always: it may be the name of a field that the plan fetches for itself, and entities would be asked for by the wrong key
 * (`{ accounts { id: name services { id } } }`). One that says what its field says anyway is left out: beside the field without it
 * the planner ends the process too (`{ by { name } ... on Book { by { name: name } } }`).
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

/** Whether the operation selects the field at a path of a response, of whichever type. */
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

/** In one order, as the members of objects in them: GraphQL says that they mean the same in any. */
const argumentsOf = ({ arguments: args = [] }: FieldNode): ArgumentNode[] =>
  args.map((argument) => ({ ...argument, value: sortValueNode(argument.value) })).sort((a, b) => (a.name.value < b.name.value ? -1 : 1));

const meaningOf = (field: FieldNode): string =>
  field.arguments?.length ? `${field.name.value}(${argumentsOf(field).map(print).join()})` : field.name.value;

/** Every response key with the fields and arguments that it stands for, anywhere in the operation, and the names of those fields. */
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
