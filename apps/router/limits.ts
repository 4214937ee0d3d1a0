import { DEFAULT_LIMITS, type OperationLimits } from '../../router/limits.ts';
import { StartError } from '../platform/start-error.ts';

/** Limits of a GraphQL operation, by their names on the command line. */
const LIMITS: Readonly<Record<string, { limit: keyof OperationLimits; about: string }>> = {
  depth: { limit: 'depth', about: 'nesting depth of fields' },
  fields: { limit: 'fields', about: 'number of fields; those of a fragment count each time it is spread' },
  spreads: { limit: 'spreads', about: 'fragments, named and inline' },
  'root-fields': { limit: 'rootFields', about: 'fields of Query, Mutation or Subscription' },
  aliases: { limit: 'aliases', about: 'number of aliases' },
  comparisons: { limit: 'comparisons', about: 'pairs of selections with the same response key' },
  tokens: { limit: 'tokens', about: 'lexical tokens of the document' },
  cost: { limit: 'cost', about: 'objects that the response could contain' },
  'page-size': { limit: 'pageSize', about: 'assumed size of a list whose size argument is omitted' },
  'list-size': { limit: 'listSize', about: 'assumed size of a list without a size argument' },
};

export const LIMITS_HELP = Object.entries(LIMITS)
  .map(([name, { limit, about }]) => `                            ${name} (${DEFAULT_LIMITS[limit]}): ${about}`)
  .join('\n');

/**
 * Parses limits such as `fields=5000`.
 * @throws StartError
 */
export function readLimits(given: readonly string[]): Partial<OperationLimits> {
  const limits: Partial<OperationLimits> = {};
  for (const text of given) {
    const [, name = '', value = ''] = /^([a-z-]+)=(\d{1,15})$/.exec(text) ?? [];
    const known = Object.hasOwn(LIMITS, name) ? LIMITS[name] : undefined;
    if (!known || Number(value) < 1)
      throw new StartError(`--limit must be NAME=N with one of ${Object.keys(LIMITS).join(', ')}, not ${text}.`);
    limits[known.limit] = Number(value);
  }
  return limits;
}
