import { DEFAULT_LIMITS, type OperationLimits } from '../../router/limits.ts';
import { StartError } from '../platform/start-error.ts';

/** The limits by the name that the command line has for them. */
const LIMITS: Readonly<Record<string, { limit: keyof OperationLimits; about: string }>> = {
  depth: { limit: 'depth', about: 'fields within each other' },
  fields: { limit: 'fields', about: 'all fields, those of a fragment as often as it is spread' },
  spreads: { limit: 'spreads', about: 'fragments, named and inline' },
  'root-fields': { limit: 'rootFields', about: 'fields of Query, Mutation or Subscription' },
  aliases: { limit: 'aliases', about: 'fields under another name' },
  comparisons: { limit: 'comparisons', about: 'pairs of selections under one response key' },
  tokens: { limit: 'tokens', about: 'lexical tokens of the document' },
  cost: { limit: 'cost', about: 'objects that the response could have' },
  'page-size': { limit: 'pageSize', about: 'items counted for a list with an argument for its size that is not given' },
  'list-size': { limit: 'listSize', about: 'items counted for a list without such an argument' },
};

export const LIMITS_HELP = Object.entries(LIMITS)
  .map(([name, { limit, about }]) => `                            ${name} (${DEFAULT_LIMITS[limit]}): ${about}`)
  .join('\n');

/**
 * Reads `fields=5000` and the like.
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
