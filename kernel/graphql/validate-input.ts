import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { Problems } from '../errors/problems.ts';
import { Checked, foundIn } from './input-problems.ts';
import { normalizeInput } from './normalize-input.ts';
import { problemsBetween } from './rule.ts';

keepRules();

const OPTIONS = { skipMissingProperties: true, forbidUnknownValues: false, validationError: { target: false } };

/**
 * Validates the arguments of a field by the rules of their classes, and then normalizes them. All problems are reported
 * in one 400 error, which lists the first 20 problems and contains the total number.
 * input-problems.ts runs operations only to find the problems of their arguments. It collects the problems, and the error `Checked`
 * stops the execution before a resolver runs.
 */
export function checkInputs(values: readonly unknown[], context: unknown): void {
  const found = foundIn(context);
  const problems = found ?? new Problems();
  for (const item of values.flat()) problems.addAll(problemsOf(item, context));
  if (found) throw new Checked();
  problems.refuse();
  for (const value of values) normalizeInput(value);
}

/**
 * Returns the problems of an input: first the problems of single fields, then the problems that rules declared with
 * `@Rule` find.
 */
export function problemsOf(value: unknown, context: unknown): Problems {
  const problems = new Problems();
  if (typeof value !== 'object' || value === null) return problems;
  const errors = validateSync(value, OPTIONS);
  for (const error of errors) collect(error, '', problems);
  const others = problemsBetween(withoutBroken(value, errors), context).filter(({ field }) => !problems.has(field));
  for (const problem of others) problems.add(problem);
  return problems;
}

function collect({ property, value, constraints, children = [] }: ValidationError, path: string, problems: Problems): void {
  const field = path ? `${path}.${property}` : property;
  const [text] = Object.values(constraints ?? {});
  if (text !== undefined) problems.add({ field, value: value as unknown, reason: reasonOf(text, property) });
  for (const child of children) collect(child, field, problems);
}

/** Removes the property name from a message of class-validator, because the problem has its own property `field`. */
const reasonOf = (text: string, property: string): string => (text.startsWith(`${property} `) ? text.slice(property.length + 1) : text);

/** Returns a copy of an input without the fields that break the rules of a single field. */
function withoutBroken(value: object, errors: readonly ValidationError[]): object {
  if (errors.length === 0) return value;
  const copy = (
    Array.isArray(value) ? [...(value as unknown[])] : Object.assign(Object.create(Object.getPrototypeOf(value)), value)
  ) as Record<string, unknown>;
  for (const { property, constraints, children = [] } of errors) {
    const member = copy[property];
    const isWhole = !constraints && typeof member === 'object' && member !== null;
    if (isWhole) copy[property] = withoutBroken(member, children);
    else if (Array.isArray(copy)) copy[property] = null;
    else delete copy[property];
  }
  return copy;
}

/** Caches the rules of each class, because class-validator searches the rules of all classes for each object. */
function keepRules(): void {
  const storage = getMetadataStorage();
  const find = storage.getTargetValidationMetadatas.bind(storage);
  const known = new Map<unknown, ReturnType<typeof find>>();
  storage.getTargetValidationMetadatas = (type, ...how) => {
    const rules = known.get(type) ?? find(type, ...how);
    known.set(type, rules);
    return rules;
  };
}
