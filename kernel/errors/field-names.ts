import { InvalidParameters } from './errors.ts';

/** Handler for `Promise.catch`, for an operation that calls code whose input has other field names. It always throws. */
type Renaming = (error: unknown) => never;

/** Creates a handler that renames the fields in an InvalidParameters error. Other errors are thrown unchanged. */
const renaming =
  (renamed: (field: string) => string): Renaming =>
  (error) => {
    if (!(error instanceof InvalidParameters)) throw error;
    const [first, ...rest] = error.problems.map((problem) => ({ ...problem, field: renamed(problem.field) }));
    throw first ? new InvalidParameters([first, ...rest]) : error;
  };

/** Renames fields in an InvalidParameters error. `names` maps old names to new names; a field inside a renamed field is renamed with it. */
export const withFieldNames = (names: Readonly<Record<string, string>>): Renaming =>
  renaming((field) => {
    const name = Object.keys(names).find((one) => field === one || field.startsWith(`${one}.`));
    return name === undefined ? field : `${names[name]}${field.slice(name.length)}`;
  });

/** Removes a prefix from fields in an InvalidParameters error: without the prefix `configuration`, `configuration.topology` is `topology`. */
export const withoutPrefix = (prefix: string): Renaming =>
  renaming((field) => (field.startsWith(`${prefix}.`) ? field.slice(prefix.length + 1) : field));

/** Adds a prefix to the fields in an InvalidParameters error: with the prefix `network`, `topology` is `network.topology`. */
export const withPrefix = (prefix: string): Renaming => renaming((field) => `${prefix}.${field}`);
