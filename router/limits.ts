import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

/** What one operation may ask. Introspection (`__schema`, `__type`) is as deep as graphql-js allows, and costs no data; all else counts for it too. */
export interface OperationLimits {
  /** Fields within each other. */
  depth: number;
  /** All fields, those of a fragment as often as it is spread. */
  fields: number;
  /** Fragments, named and inline, those within a fragment as often as it is spread. */
  spreads: number;
  rootFields: number;
  aliases: number;
  /** Lexical tokens of the document. */
  tokens: number;
  /** Objects that the answer may have, as the sizes of its lists announce; a large text counts as several. */
  cost: number;
  /** Items counted for a list that has an argument for its size, where neither the operation nor the schema says one. */
  pageSize: number;
  /** Items counted for a list that has no such argument, and of which the schema does not say it (`@listSize`). */
  listSize: number;
}

export const DEFAULT_LIMITS: OperationLimits = {
  depth: 12,
  fields: 500,
  spreads: 1_000,
  rootFields: 50,
  aliases: 300,
  tokens: 5_000,
  cost: 250_000,
  pageSize: 50,
  listSize: 20,
};

interface Size {
  depth: number;
  fields: number;
  spreads: number;
  aliases: number;
}

/**
 * Why an operation is too large, or undefined. Reads each fragment once, and comes before all that follows fragments wherever
 * they are spread. Needs a validated document: fragments exist and have no cycles.
 */
export function exceededLimit(operation: OperationDefinitionNode, fragments: Fragments, limits: OperationLimits): string | undefined {
  const seen = new Map<string, Size>();
  const { depth, fields, spreads, aliases } = measure(operation.selectionSet, fragments, seen);
  if (depth > limits.depth) return `The operation is ${depth} fields deep; at most ${limits.depth} are allowed.`;
  if (fields > limits.fields) return `The operation selects ${fields} fields; at most ${limits.fields} are allowed.`;
  if (spreads > limits.spreads) return `The operation spreads ${spreads} fragments; at most ${limits.spreads} are allowed.`;
  if (aliases > limits.aliases) return `The operation has ${aliases} aliases; at most ${limits.aliases} are allowed.`;
  const roots = rootFieldNames(operation, fragments).length;
  return roots > limits.rootFields ? `The operation has ${roots} root fields; at most ${limits.rootFields} are allowed.` : undefined;
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export function fragmentsOf(document: DocumentNode): Fragments {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/** A fragment is measured once however often it is spread: nested spreads double otherwise. */
function measure({ selections }: SelectionSetNode, fragments: Fragments, seen: Map<string, Size>): Size {
  const total: Size = { ...NOTHING };
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const inner = selection.selectionSet ? measure(selection.selectionSet, fragments, seen) : NOTHING;
      const depth = INTROSPECTION.has(selection.name.value) ? 1 : inner.depth + 1;
      add(total, { ...inner, depth, fields: inner.fields + 1, aliases: inner.aliases + (selection.alias ? 1 : 0) });
    } else {
      const isInline = selection.kind === Kind.INLINE_FRAGMENT;
      add(total, isInline ? measure(selection.selectionSet, fragments, seen) : measureFragment(selection.name.value, fragments, seen));
      total.spreads += 1;
    }
  }
  return total;
}

const NOTHING: Size = { depth: 0, fields: 0, spreads: 0, aliases: 0 };
export const INTROSPECTION: ReadonlySet<string> = new Set(['__schema', '__type']);

function add(total: Size, { depth, fields, spreads, aliases }: Size): void {
  total.depth = Math.max(total.depth, depth);
  total.fields += fields;
  total.spreads += spreads;
  total.aliases += aliases;
}

function measureFragment(name: string, fragments: Fragments, seen: Map<string, Size>): Size {
  const known = seen.get(name);
  if (known) return known;
  const fragment = fragments.get(name);
  const size = fragment ? measure(fragment.selectionSet, fragments, seen) : NOTHING;
  seen.set(name, size);
  return size;
}

/** The names of the root fields, as often as they are asked; fragments at the root are followed once. */
export function rootFieldNames({ selectionSet }: OperationDefinitionNode, fragments: Fragments): string[] {
  const names: string[] = [];
  const followed = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.push(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (!followed.has(selection.name.value)) {
        followed.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(selectionSet);
  return names;
}
