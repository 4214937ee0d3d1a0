import type { FieldProblem } from '../errors/errors.ts';
import type { Decimal } from '../values/money.ts';
import { isInput } from './normalize-input.ts';

/** A partial input as its rules see it: fields with a wrong shape or a broken rule are left out; in a list they are null. */
export type Valid<T> = T extends Date | Decimal
  ? T
  : T extends readonly (infer I)[]
    ? readonly (Valid<I> | null)[]
    : T extends object
      ? { readonly [K in keyof T]?: Valid<T[K]> }
      : T;

type Check = (input: object, context: unknown) => readonly FieldProblem[];

/** By the prototype of an input class. */
const rules = new Map<object, Check[]>();

/**
 * Declares a rule that concerns several fields of an input class. It returns the problems, with field names as in the class, and is
 * checked together with the rules of single fields.
 * `C` is the resolver context of the subgraph, for the time and the caller. A rule that needs the database belongs in the service.
 */
export const Rule =
  <T extends object, C = unknown>(check: (input: Valid<T>, context: C) => readonly FieldProblem[]): ClassDecorator =>
  ({ prototype }) => {
    const known = rules.get(prototype as object) ?? [];
    // class decorators are applied from last to first
    rules.set(prototype as object, [check as Check, ...known]);
  };

/** Returns the problems that these rules find in an input and in inputs within it. */
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
