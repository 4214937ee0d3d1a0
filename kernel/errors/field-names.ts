import { InvalidParameters } from './errors.ts';

/**
 * Creates a handler for `Promise.catch` that renames the fields in an InvalidParameters error. `names` maps old names
 * to new names; a field inside a renamed field is renamed with it. Use the handler if an operation calls code whose
 * input has other field names. Other errors are thrown unchanged.
 */
export const withFieldNames =
  (names: Readonly<Record<string, string>>) =>
  (error: unknown): never => {
    if (!(error instanceof InvalidParameters)) throw error;
    const renamed = (field: string): string => {
      const name = Object.keys(names).find((one) => field === one || field.startsWith(`${one}.`));
      return name === undefined ? field : `${names[name]}${field.slice(name.length)}`;
    };
    const [first, ...rest] = error.problems.map((problem) => ({ ...problem, field: renamed(problem.field) }));
    throw first ? new InvalidParameters([first, ...rest]) : error;
  };

/**
 * Creates a handler for `Promise.catch` that removes a prefix from the fields in an InvalidParameters error. With the
 * prefix `configuration`, `configuration.topology` becomes `topology`. Other errors are thrown unchanged.
 */
export const withoutPrefix =
  (prefix: string) =>
  (error: unknown): never => {
    if (!(error instanceof InvalidParameters)) throw error;
    const shorter = (field: string): string => (field.startsWith(`${prefix}.`) ? field.slice(prefix.length + 1) : field);
    const [first, ...rest] = error.problems.map((problem) => ({ ...problem, field: shorter(problem.field) }));
    throw first ? new InvalidParameters([first, ...rest]) : error;
  };
