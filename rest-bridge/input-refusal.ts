import { type FieldProblem, InvalidParameters } from '../kernel/errors/errors.ts';
import type { Problems } from '../kernel/errors/problems.ts';
import { type InputPlan, restFieldOf, restWords } from './input-plan.ts';

/**
 * Returns one error with all problems of a request. `shape` contains the values that are missing or have the wrong
 * type, `broken` the problems that the rules of the subgraph found in the other values.
 * A problem in `broken` is left out if `shape` already contains its field, because the rules could not read the value.
 */
export function refusalOf(plan: InputPlan, shape: Problems, broken: readonly FieldProblem[], body: unknown): InvalidParameters {
  const more = broken.map((problem) => inRest(plan, problem)).filter(({ field }) => !shape.has(field));
  return inOrderOf(body, plan, { problems: [...shape.listed, ...more], total: shape.total + more.length });
}

/** Translates the field names in a problem from GraphQL to REST. */
export const inRest = (plan: InputPlan, problem: FieldProblem): FieldProblem => ({
  ...problem,
  field: restFieldOf(plan, problem.field),
  reason: restWords(plan, problem.reason),
});

/** Returns an error that lists the problems in the order in which their fields are in the body. */
export function inOrderOf(
  body: unknown,
  plan: InputPlan,
  { problems, total }: { problems: readonly FieldProblem[]; total: number },
): InvalidParameters {
  const positionOf = positionsIn(body, plan);
  const [first, ...rest] = problems
    .map((problem) => ({ problem, position: positionOf(problem.field) }))
    .sort((one, other) => compare(one.position, other.position))
    .map(({ problem }) => problem);
  if (!first) throw new Error('There is no problem.');
  return new InvalidParameters([first, ...rest], total);
}

/**
 * Returns a function that gives the sort position of a field. The order is: path and query, the fields of the body in the order sent, and
 * missing fields.
 */
function positionsIn(body: unknown, { fields }: InputPlan): (field: string) => number[] {
  const isOfBody = (name: string): boolean => fields.some((field) => field.name === name && field.in === 'body');
  return (field) => {
    const [first = '', ...inner] = field.split('.');
    const isSent = typeof body === 'object' && body !== null && Object.hasOwn(body, first);
    if (!isSent && !isOfBody(first)) return [-1];
    let value: unknown = body;
    return [first, ...inner].map((name) => {
      const names: readonly string[] = typeof value === 'object' && value !== null ? Object.keys(value) : [];
      const index = names.indexOf(name);
      value = index < 0 ? undefined : (value as Record<string, unknown>)[name];
      return index >= 0 ? index : Number.MAX_SAFE_INTEGER;
    });
  };
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [depth, position] of one.entries()) {
    const difference = position - (other[depth] ?? -1);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
