import type { FieldProblem } from '../errors/errors.ts';
import type { Decimal } from '../values/money.ts';
import { isInput } from './normalize-input.ts';

/** An input as its rules see it: without the members that have the wrong shape or break a rule of their own; null in a list. */
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
 * States a rule between the members of an input class: returns what is wrong, with fields as the class names them. It is checked
 * together with the rules of single members. `C` is the resolvers' context of the subgraph, for the time and the caller; a rule that
 * needs the database belongs into the service.
 */
export const Rule =
  <T extends object, C = unknown>(check: (input: Valid<T>, context: C) => readonly FieldProblem[]): ClassDecorator =>
  ({ prototype }) => {
    const known = rules.get(prototype as object) ?? [];
    // decorators are applied from the last to the first
    rules.set(prototype as object, [check as Check, ...known]);
  };

/** The problems that the rules find in an input, and in those within it. */
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
