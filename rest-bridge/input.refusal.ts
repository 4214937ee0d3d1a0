import { type FieldProblem, InvalidParameters } from '../kernel/errors/errors.ts';
import type { Problems } from '../kernel/errors/problems.ts';
import { type InputPlan, restFieldOf, restWords } from './input.plan.ts';

/**
 * The refusal of a request with problems of shape, and of rules that were checked of the rest: all of them in one round, in the
 * order of the body. What a rule says of a value around or within one of the wrong shape is left out: it did not see that value.
 */
export function refusalOf(plan: InputPlan, { listed, total }: Problems, broken: readonly FieldProblem[], body: unknown): InvalidParameters {
  const ruled = broken.map((problem) => ({
    ...problem,
    field: restFieldOf(plan, problem.field),
    reason: restWords(plan, problem.reason),
  }));
  const more = ruled.filter(({ field }) => !listed.some((one) => isWithin(one.field, field) || isWithin(field, one.field)));
  const positionOf = positionsIn(body, plan);
  const [first, ...rest] = [...listed, ...more]
    .map((problem) => ({ problem, position: positionOf(problem.field) }))
    .sort((one, other) => compare(one.position, other.position))
    .map(({ problem }) => problem);
  if (!first) throw new Error('There is no problem.');
  return new InvalidParameters([first, ...rest], total + more.length);
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);

/** Where a field stands: path and query first, then the body as it was sent, then what is missing in it. */
function positionsIn(body: unknown, { members }: InputPlan): (field: string) => number[] {
  const isOfBody = (name: string): boolean => members.some((member) => member.name === name && member.in === 'body');
  return (field) => {
    let value: unknown = body;
    return field.split('.').map((name, depth) => {
      const names: readonly string[] = typeof value === 'object' && value !== null ? Object.keys(value) : [];
      const index = names.indexOf(name);
      value = index < 0 ? undefined : (value as Record<string, unknown>)[name];
      if (index >= 0) return index;
      return depth === 0 && !isOfBody(name) ? -1 : Number.MAX_SAFE_INTEGER;
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
