import { type ValidationError, validateSync } from 'class-validator';
import { Problems } from '../errors/problems.ts';
import { Checked, foundIn } from './input-problems.ts';
import { normalizeInput } from './normalize-input.ts';

const OPTIONS = { skipMissingProperties: true, forbidUnknownValues: false, validationError: { target: false } };

/**
 * Checks an input object by the rules declared on its class, and writes its fields as they are stored; the first problems come back
 * at once as 400, with their number. A check alone (input-problems.ts) gets the problems, and ends here.
 */
export function validateInput(value: unknown, _type?: unknown, data?: { context: unknown }): void {
  const found = foundIn(data?.context);
  const problems = problemsOf(value);
  if (found) {
    found.push(...problems.listed);
    throw new Checked();
  }
  problems.refuse();
  if (typeof value === 'object' && value !== null) normalizeInput(value);
}

function problemsOf(value: unknown): Problems {
  const problems = new Problems();
  if (typeof value !== 'object' || value === null) return problems;
  for (const item of Array.isArray(value) ? (value as unknown[]) : [value])
    if (typeof item === 'object' && item !== null) for (const error of validateSync(item, OPTIONS)) collect(error, '', problems);
  return problems;
}

function collect({ property, value, constraints, children = [] }: ValidationError, path: string, problems: Problems): void {
  const field = path ? `${path}.${property}` : property;
  const [text] = Object.values(constraints ?? {});
  if (text !== undefined) problems.add({ field, value: value as unknown, reason: reasonOf(text, property) });
  for (const child of children) collect(child, field, problems);
}

/** class-validator starts its sentences with the property; here the field stands beside the reason. */
const reasonOf = (text: string, property: string): string => (text.startsWith(`${property} `) ? text.slice(property.length + 1) : text);
