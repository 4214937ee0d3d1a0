import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * Limits of one operation. Introspection (`__schema`, `__type`) may be nested as deeply as graphql-js allows, and has
 * no cost. All other limits apply to introspection too.
 */
export interface OperationLimits {
  /** Maximum number of nested fields. */
  depth: number;
  /** Maximum number of fields. The fields of a fragment count each time the fragment is spread. */
  fields: number;
  /**
   * Maximum number of fragment spreads and inline fragments. Spreads inside a fragment count each time this fragment is
   * spread.
   */
  spreads: number;
  rootFields: number;
  aliases: number;
  /**
   * Maximum number of pairs of fields with the same response key in the document. Validation compares the fields of
   * each pair.
   */
  comparisons: number;
  /** Maximum number of lexical tokens in the document. */
  tokens: number;
  /**
   * Maximum number of objects in the response, estimated from the sizes of its lists. A large text counts as several
   * objects.
   */
  cost: number;
  /** Assumed length of a list with a size argument, if neither the operation nor the schema states a size. */
  pageSize: number;
  /** Assumed length of a list without a size argument, if the schema states no size (`@listSize`). */
  listSize: number;
}

export const DEFAULT_LIMITS: OperationLimits = {
  depth: 12,
  fields: 500,
  spreads: 1_000,
  rootFields: 50,
  aliases: 300,
  comparisons: 20_000,
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
 * Returns an error message if a document is too large. Otherwise returns undefined.
 * This check must run before validation and other algorithms that take very long for some documents.
 * The check reads each fragment once, so it takes little time itself.
 */
export function exceededLimit({ definitions }: DocumentNode, fragments: Fragments, limits: OperationLimits): string | undefined {
  const measuring = new Measuring(fragments);
  const executable = definitions.filter(isExecutable);
  const sizes = executable.map((definition) => measuring.measure(definition.selectionSet));
  for (const name of fragments.keys()) measuring.measureFragment(name);
  if (measuring.cycle) return `The fragment ${measuring.cycle} spreads itself.`;
  for (const { fields, spreads, aliases } of sizes) {
    if (fields > limits.fields) return `The operation selects ${fields} fields; at most ${limits.fields} are allowed.`;
    if (spreads > limits.spreads) return `The operation spreads ${spreads} fragments; at most ${limits.spreads} are allowed.`;
    if (aliases > limits.aliases) return `The operation has ${aliases} aliases; at most ${limits.aliases} are allowed.`;
  }
  for (const [index, operation] of executable.entries()) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
    const depth = sizes[index]?.depth ?? 0;
    if (depth > limits.depth) return `The operation is ${depth} fields deep; at most ${limits.depth} are allowed.`;
    const roots = rootFieldNames(operation, fragments).length;
    if (roots > limits.rootFields) return `The operation has ${roots} root fields; at most ${limits.rootFields} are allowed.`;
  }
  const comparisons = executable.reduce((sum, { selectionSet }) => sum + comparisonsIn([selectionSet], fragments), 0);
  return comparisons > limits.comparisons
    ? `The document selects the same fields too often: ${comparisons} pairs; at most ${limits.comparisons} are allowed.`
    : undefined;
}

type Executable = OperationDefinitionNode | FragmentDefinitionNode;
const isExecutable = (definition: DefinitionNode): definition is Executable =>
  definition.kind === Kind.OPERATION_DEFINITION || definition.kind === Kind.FRAGMENT_DEFINITION;

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export function fragmentsOf(document: DocumentNode): Fragments {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

class Measuring {
  /** The name of the first fragment found that spreads itself. */
  cycle: string | undefined;
  readonly #seen = new Map<string, Size>();
  readonly #open = new Set<string>();

  constructor(private readonly fragments: Fragments) {}

  measure({ selections }: SelectionSetNode): Size {
    const total: Size = { ...NOTHING };
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const inner = selection.selectionSet ? this.measure(selection.selectionSet) : NOTHING;
        const depth = INTROSPECTION.has(selection.name.value) ? 1 : inner.depth + 1;
        add(total, { ...inner, depth, fields: inner.fields + 1, aliases: inner.aliases + (selection.alias ? 1 : 0) });
      } else {
        const isInline = selection.kind === Kind.INLINE_FRAGMENT;
        add(total, isInline ? this.measure(selection.selectionSet) : this.measureFragment(selection.name.value));
        total.spreads += 1;
      }
    }
    return total;
  }

  /**
   * Returns the size of a fragment. Each fragment is measured only once, because the work could otherwise double with
   * each level of nested fragments.
   */
  measureFragment(name: string): Size {
    const known = this.#seen.get(name);
    if (known) return known;
    const fragment = this.fragments.get(name);
    if (this.#open.has(name)) this.cycle ??= name;
    if (!fragment || this.#open.has(name)) return NOTHING;
    this.#open.add(name);
    const size = this.measure(fragment.selectionSet);
    this.#open.delete(name);
    this.#seen.set(name, size);
    return size;
  }
}

const NOTHING: Size = { depth: 0, fields: 0, spreads: 0, aliases: 0 };
export const INTROSPECTION: ReadonlySet<string> = new Set(['__schema', '__type']);

function add(total: Size, { depth, fields, spreads, aliases }: Size): void {
  total.depth = Math.max(total.depth, depth);
  total.fields += fields;
  total.spreads += spreads;
  total.aliases += aliases;
}

/** Counts the pairs of fields with the same response key, at every level of the merged selection sets. */
function comparisonsIn(selectionSets: readonly SelectionSetNode[], fragments: Fragments): number {
  const byKey = new Map<string, { count: number; inner: SelectionSetNode[] }>();
  const spread = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const same = byKey.get(key) ?? { count: 0, inner: [] };
        same.count += 1;
        if (selection.selectionSet) same.inner.push(selection.selectionSet);
        byKey.set(key, same);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet);
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  for (const selectionSet of selectionSets) collect(selectionSet);
  let pairs = 0;
  for (const { count, inner } of byKey.values()) {
    pairs += (count * (count - 1)) / 2;
    if (inner.length > 0) pairs += comparisonsIn(inner, fragments);
  }
  return pairs;
}

/**
 * Returns the names of the root fields. A field that is selected twice is listed twice, but the fields of a fragment
 * that is spread twice at the root are listed only once.
 */
export const rootFieldNames = (operation: OperationDefinitionNode, fragments: Fragments): string[] =>
  rootFields(operation, fragments).map(({ name }) => name.value);

export function rootFields({ selectionSet }: OperationDefinitionNode, fragments: Fragments): FieldNode[] {
  const fields: FieldNode[] = [];
  const followed = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) fields.push(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (!followed.has(selection.name.value)) {
        followed.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(selectionSet);
  return fields;
}
