import type { z } from 'zod';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import type { Configuration } from '../inventory/service-terms.ts';
import type { Product } from './product.ts';

/**
 * Lists the problems of settings: unknown names, wrong values, and values that do not fit together. `field` of a problem is
 * the path of a setting.
 */
export function configurationProblems(product: Product, configuration: Configuration): FieldProblem[] {
  const { error, data } = product.configuration.safeParse(configuration);
  if (error) return error.issues.flatMap((issue) => problemsOf(issue, configuration));
  return product.problems?.(data) ?? [];
}

function problemsOf(issue: z.core.$ZodIssue, configuration: Configuration): FieldProblem[] {
  const path = issue.path.map(String);
  const value = path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null)?.[key], configuration);
  const field = path.join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), reason: 'is not a setting of this service' }));
  return [{ field, value, reason: reasonOf(issue, value) }];
}

const WORDS: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
};

function reasonOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_type') return value === undefined ? 'is required' : `must be ${WORDS[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  return issue.message;
}
