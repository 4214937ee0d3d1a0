import type { FieldProblem } from './errors.ts';

const SHOWN_LENGTH = 200;
const SECRET_FIELD = /(secret|password|token|code|key|data|webhook_?url)$/i;

/** Shortens a long text for the message or the `details` of an error. */
export const shown = (value: string): string => (value.length > SHOWN_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}…` : value);

/** Returns the problem as the caller gets it, without large values and values that may be secret. */
export function presented({ field, value, reason }: FieldProblem): FieldProblem {
  const isHidden = value === undefined || SECRET_FIELD.test(field);
  return { field: shown(field), value: isHidden ? null : (previewOf(value, { left: MAX_SHOWN_VALUES }) ?? null), reason };
}

const MAX_SHOWN_VALUES = 50;
const MAX_SHOWN_DEPTH = 6;

/**
 * Copies a value without the fields that may contain secrets or files. Returns undefined for a large value. `budget` is
 * the number of values that may still be copied.
 */
function previewOf(value: unknown, budget: { left: number }, depth = 0): unknown {
  if (typeof value === 'string') return shown(value);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return previewOf(value.toJSON(), budget, depth);
  if (depth > MAX_SHOWN_DEPTH || (Array.isArray(value) && value.length > budget.left)) return undefined;
  const entries = Object.entries(value).filter(([name, inner]) => inner !== undefined && !SECRET_FIELD.test(name));
  budget.left -= entries.length;
  if (budget.left < 0) return undefined;
  const copies = entries.map(([name, inner]) => [shown(name), previewOf(inner, budget, depth + 1)] as const);
  if (copies.some(([, copy]) => copy === undefined)) return undefined;
  return Array.isArray(value) ? copies.map(([, copy]) => copy) : Object.fromEntries(copies);
}
