import { type GraphQLLeafType, isEnumType } from 'graphql';

/** Validates a scalar or enum value from a subgraph. Returns undefined if the value does not match the type. */
export type ReadLeaf = (value: unknown) => unknown;

const MAX_INT = 2 ** 31 - 1;
const MIN_INT = -(2 ** 31);

const BUILT_IN: Readonly<Record<string, ReadLeaf>> = {
  Int: (value) => (Number.isInteger(value) && (value as number) >= MIN_INT && (value as number) <= MAX_INT ? value : undefined),
  Float: (value) => (Number.isFinite(value) ? value : undefined),
  String: (value) => (typeof value === 'string' ? value : undefined),
  Boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  ID: (value) => {
    if (typeof value === 'string') return value;
    return Number.isSafeInteger(value) ? String(value) : undefined;
  },
};

/**
 * Compiles the validation of built-in scalars and enums. Custom scalars are not validated, because only their subgraph
 * can do this.
 */
export function compileLeaf(type: GraphQLLeafType): ReadLeaf {
  if (!isEnumType(type)) return BUILT_IN[type.name] ?? ((value) => value);
  const values = new Set<unknown>(type.getValues().map(({ name }) => name));
  return (value) => (values.has(value) ? value : undefined);
}
