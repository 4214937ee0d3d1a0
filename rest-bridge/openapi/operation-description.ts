import { getNamedType } from 'graphql';
import type { CompiledRoute } from '../compiled-route.ts';
import { snakeCase } from '../names.ts';
import { countedCategoryOf, weightOfRoute } from '../route.ts';
import { isOnce, namesRecord } from './operation-facts.ts';

interface Known {
  /** Whether its path has a GET. */
  hasReader: boolean;
  takesInput: boolean;
}

/** What an operation does, what the caller gets, what it costs, and what can fail. */
export function descriptionOf(compiled: CompiledRoute, known: Known): string {
  const { route, permission, secondFactor, field } = compiled;
  const about = route.description ?? field.description;
  return [
    about ? `${about} ${returned(compiled)}` : returned(compiled),
    permission
      ? `Permission: \`${permission}\`.`
      : route.access === 'public'
        ? 'No credentials are needed.'
        : 'Any valid credentials will do.',
    ...(secondFactor ? ['Users are asked for a second factor.'] : []),
    costOf(compiled),
    `Errors: ${errorsOf(compiled, known).join(', ')}.`,
  ].join('\n\n');
}

const words = (name: string): string => snakeCase(name).replaceAll('_', ' ');

function returned({ recordType, isPage, isList }: CompiledRoute): string {
  const record = words(getNamedType(recordType).name);
  if (isPage) return `Responds with one page of the list (${record}).`;
  return isList ? `Responds with the whole list (${record}).` : `Responds with the ${record}.`;
}

function costOf({ route }: CompiledRoute): string {
  const weight = weightOfRoute(route);
  const category = countedCategoryOf(route);
  const limits = weight === 0 ? 'Costs nothing.' : `Costs ${weight} of the hourly and the burst limit.`;
  return category ? `${limits} Counts as one operation of the category \`${category}\`.` : limits;
}

/** Codes beside those of every operation, which the document states once. */
function errorsOf(compiled: CompiledRoute, { hasReader, takesInput }: Known): string[] {
  const { route, kind, input, permission, secondFactor } = compiled;
  const finds = input.fields.some((field) => field.in === 'path') || namesRecord(compiled);
  const changes = route.method === 'PUT' || route.method === 'DELETE';
  const general = {
    ...(takesInput && { INVALID_PARAMETERS: 'a parameter is not valid' }),
    ...(permission && { INSUFFICIENT_PERMISSIONS: 'the permission is missing' }),
    ...(secondFactor && { MFA_REQUIRED: 'a second factor is needed' }),
    ...(finds && { RESOURCE_NOT_FOUND: 'a record that the request names does not exist' }),
    ...(kind === 'mutation' && changes && hasReader && { STALE_RESOURCE: '`If-Match` names an earlier state' }),
    ...(isOnce(compiled) && { IDEMPOTENCY_CONFLICT: 'the `Idempotency-Key` was used for another request' }),
    RATE_LIMIT_EXCEEDED: 'a limit of the plan is reached',
  };
  return Object.entries({ ...general, ...route.errors }).map(([code, when]) => `\`${code}\` (${when})`);
}
