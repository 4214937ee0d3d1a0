import type { GraphQLEnumType } from 'graphql';

/** Converts a name from GraphQL's camelCase to REST's snake_case: `createdAt` to `created_at`. */
export const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();

/** Converts a name from snake_case to camelCase: `ticket_id` to `ticketId`. */
export const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Converts a name from snake_case to PascalCase: `sla_status` to `SlaStatus`. */
export const pascalCase = (name: string): string => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Converts an enum value from GraphQL to REST: `IN_PROGRESS` to `in_progress`. */
export const restValue = (value: string): string => value.toLowerCase();
export const restValues = (type: GraphQLEnumType): string[] => type.getValues().map(({ name }) => restValue(name));

/** Converts a dotted path from GraphQL to REST: `services.0.unitPrice` to `services.0.unit_price`. */
export const restPath = (path: string): string => path.split('.').map(snakeCase).join('.');

const MAX_DISTANCE = 3;

/** Returns the known name that is most similar to a misspelled name. Undefined if no known name is similar enough. */
export function closest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .sort((one, other) => one.distance - other.distance);
  const [best] = ranked;
  return best && best.distance <= Math.min(MAX_DISTANCE, Math.ceil(name.length / 3)) ? best.candidate : undefined;
}

const LONGEST_COMPARED = 64;

/** Returns the Levenshtein distance of two names, or Infinity if `one` is longer than any known name can be. */
function editDistance(one: string, other: string): number {
  if (one.length > LONGEST_COMPARED) return Infinity;
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced));
    }
    previous = current;
  }
  return previous[other.length] ?? Infinity;
}
