import { type ValidationError, validateSync } from 'class-validator';
import { type FieldProblem, refuse } from '../errors.ts';

const OPTIONS = { skipMissingProperties: true, forbidUnknownValues: false, validationError: { target: false } };

/** Checks an input object by the rules declared on its class; all that is wrong comes back at once as 400. */
export function validateInput(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const problems = (Array.isArray(value) ? value : [value]).flatMap((item: object) =>
    typeof item === 'object' && item !== null ? validateSync(item, OPTIONS).flatMap((error) => problemsOf(error)) : [],
  );
  refuse(problems);
}

function problemsOf({ property, value, constraints, children = [] }: ValidationError, path = ''): FieldProblem[] {
  const field = path ? `${path}.${property}` : property;
  const own = Object.values(constraints ?? {})
    .slice(0, 1)
    .map((text) => ({ field, value: value as unknown, reason: reasonOf(text, property) }));
  return [...own, ...children.flatMap((child) => problemsOf(child, field))];
}

/** class-validator starts its sentences with the property; here the field stands beside the reason. */
const reasonOf = (text: string, property: string): string => (text.startsWith(`${property} `) ? text.slice(property.length + 1) : text);
