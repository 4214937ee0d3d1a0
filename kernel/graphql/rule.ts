import type { FieldProblem } from '../errors/errors.ts';
import type { Decimal } from '../values/money.ts';
import { isInput } from './normalize-input.ts';

/**
 * The input that a rule gets. A field with a wrong type or a broken rule is missing; an invalid item of a list is null.
 */
export type Valid<T> = T extends Date | Decimal
  ? T
  : T extends readonly (infer I)[]
    ? readonly (Valid<I> | null)[]
    : T extends object
      ? { readonly [K in keyof T]?: Valid<T[K]> }
      : T;

type Check = (input: object, context: unknown) => readonly FieldProblem[];

/** The rules of each input class, by the prototype of the class. */
const rules = new Map<object, Check[]>();

/**
 * Declares a rule that concerns several fields of an input class. The rule returns the problems, with the field names
 * of the class. The rule is checked together with the rules of single fields.
 * `C` is the resolver context of the subgraph, for rules that need the time or the caller. A check that needs the
 * database belongs in the code that the resolver calls (`*.service.ts`).
 */
export const Rule =
  <T extends object, C = unknown>(check: (input: Valid<T>, context: C) => readonly FieldProblem[]): ClassDecorator =>
  ({ prototype }) => {
    const known = rules.get(prototype as object) ?? [];
    // class decorators run from last to first; the rules keep the order of the source
    rules.set(prototype as object, [check as Check, ...known]);
  };

/** Returns the problems that rules declared with `@Rule` find in an input and in the inputs within it. */
export function problemsBetween(value: unknown, context: unknown, path = ''): FieldProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = rulesOf(value).flatMap((check) => check(value, context));
  const inner = Array.isArray(value) || isInput(value) ? Object.entries(value) : [];
  return [
    ...own.map((problem) => ({ ...problem, field: `${path}${problem.field}` })),
    ...inner.flatMap(([key, item]) => problemsBetween(item, context, `${path}${key}.`)),
  ];
}

function rulesOf(value: object): Check[] {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype ? [...rulesOf(prototype), ...(rules.get(prototype) ?? [])] : [];
}
