import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { BANDWIDTH_FORM, parseBandwidth } from './bandwidth.ts';

/**
 * Checks the `bandwidth` in `options`, an object in the input field `name`. Options without a bandwidth are valid,
 * because some kinds of service have none.
 */
export function bandwidthProblems(options: unknown, name: string): FieldProblem[] {
  const { bandwidth } = (options ?? {}) as { bandwidth?: unknown };
  if (bandwidth === undefined || (typeof bandwidth === 'string' && parseBandwidth(bandwidth) !== null)) return [];
  return [{ field: `${name}.bandwidth`, value: bandwidth, reason: `must be ${BANDWIDTH_FORM}` }];
}
