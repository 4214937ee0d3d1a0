import { type FieldProblem, InvalidParameters } from '../kernel/errors/errors.ts';
import type { Problems } from '../kernel/errors/problems.ts';
import { type InputPlan, restFieldOf, restWords } from './input-plan.ts';

/**
 * Returns one error with all problems of a request: those of its shape, and those that rules found in the rest. A rule's problem about a
 * field
 * that already has a problem of shape is left out, since the rule did not see that value.
 */
export function refusalOf(plan: InputPlan, shape: Problems, broken: readonly FieldProblem[], body: unknown): InvalidParameters {
  const more = broken.map((problem) => inRest(plan, problem)).filter(({ field }) => !shape.has(field));
  return inOrderOf(body, plan, { problems: [...shape.listed, ...more], total: shape.total + more.length });
}

/** Translates a problem from the graph's names to REST names. */
export const inRest = (plan: InputPlan, problem: FieldProblem): FieldProblem => ({
  ...problem,
  field: restFieldOf(plan, problem.field),
  reason: restWords(plan, problem.reason),
});

/** Sorts problems in the order of the body. */
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

/** Returns the position of a field: path and query first, then the body in the order sent, then missing fields. */
function positionsIn(body: unknown, { fields }: InputPlan): (field: string) => number[] {
  const isOfBody = (name: string): boolean => fields.some((member) => member.name === name && member.in === 'body');
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
