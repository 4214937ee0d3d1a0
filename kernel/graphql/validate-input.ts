import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { Problems } from '../errors/problems.ts';
import { Checked, foundIn } from './input-problems.ts';
import { normalizeInput } from './normalize-input.ts';
import { problemsBetween } from './rule.ts';

keepRules();

const OPTIONS = { skipMissingProperties: true, forbidUnknownValues: false, validationError: { target: false } };

/**
 * Checks the arguments of a field by the rules declared on their classes, and writes their fields as they are stored; the first
 * problems of all of them come back at once as 400, with their number. A check alone (input-problems.ts) gets the problems, and ends here.
 */
export function checkInputs(values: readonly unknown[], context: unknown): void {
  const found = foundIn(context);
  const problems = found ?? new Problems();
  for (const item of values.flat()) problems.addAll(problemsOf(item, context));
  if (found) throw new Checked();
  problems.refuse();
  for (const value of values) normalizeInput(value);
}

/** What the rules of an input find in it: those of single members, then those between them. */
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

/** class-validator starts its sentences with the property; here the field stands beside the reason. */
const reasonOf = (text: string, property: string): string => (text.startsWith(`${property} `) ? text.slice(property.length + 1) : text);

/** A copy without the members that break their own rules. */
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

/** class-validator looks for the rules of a class among those of all classes, each time that it checks an object. */
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
