import { getNamedType } from 'graphql';
import type { CompiledRoute } from '../compiled-route.ts';
import { snakeCase } from '../names.ts';
import { countedCategoryOf, weightOfRoute } from '../route.ts';
import { isOnce, namesRecord } from './operation-facts.ts';

interface RouteFacts {
  /** Whether the operation's path also has a GET. */
  hasReader: boolean;
  takesInput: boolean;
}

/** Returns the description of an operation: its effect, its result, its permission, its cost, and its errors. */
export function descriptionOf(compiled: CompiledRoute, known: RouteFacts): string {
  const { route, permission, secondFactor, field } = compiled;
  const about = route.description ?? inRestWords(field.description);
  const returned = `Responds with ${contentOf(compiled)}.`;
  return [
    ...(about ? [endsInBlock(about) ? `${about}\n\n${returned}` : `${about} ${returned}`] : [returned]),
    permission
      ? `Permission: \`${permission}\`.`
      : route.access === 'public'
        ? 'No credentials are needed.'
        : 'Requires valid credentials; no permission is needed.',
    ...(secondFactor ? ['Users may have to verify a second factor first.'] : []),
    costOf(compiled),
    `Errors:\n\n${errorsOf(compiled, known)
      .map((error) => `- ${error}`)
      .join('\n')}`,
  ].join('\n\n');
}

/**
 * Returns true if the last paragraph is a list or code. A sentence that follows directly would become part of the list
 * or code.
 */
const endsInBlock = (text: string): boolean => /^(- | {4})/.test(text.slice(text.lastIndexOf('\n') + 1));

const ACRONYMS = /\b(?:api|mfa|saml|sla|totp|zip|faq)\b/g;
const words = (name: string): string =>
  snakeCase(name)
    .replaceAll('_', ' ')
    .replace('o auth', 'OAuth')
    .replace(/\b(?:jira|slack)\b/, (brand) => brand.charAt(0).toUpperCase() + brand.slice(1))
    .replace(ACRONYMS, (acronym) => acronym.toUpperCase())
    .replace(/\bZIP$/, 'ZIP code');

const plural = (noun: string): string => {
  if (noun === 'feedback') return noun;
  return /[^aeiou]y$/.test(noun) ? noun.replace(/y$/, 'ies') : `${noun}s`;
};

/**
 * Removes sentences from the description of a graph field. "Null if it does not exist" is wrong for REST, which responds
 * with 404. "Returns the deleted record" would repeat the sentence about the response.
 */
const inRestWords = (description: string | null | undefined): string | undefined =>
  description?.replace(/ Null if (?:it|the service) does not exist[^.]*\./, '').replace(' Returns the deleted record.', '');

/** Returns a noun phrase for the content of a successful response, such as `the whole list (agent)`. */
export function contentOf({ recordType, isPage, isList }: CompiledRoute): string {
  const record = words(getNamedType(recordType).name);
  if (isPage) return `one page of ${plural(record)}`;
  return isList ? `the complete list of ${plural(record)}` : `the ${record}`;
}

function costOf({ route }: CompiledRoute): string {
  const weight = weightOfRoute(route);
  const category = countedCategoryOf(route);
  const limits =
    weight === 0
      ? 'Costs nothing: the request does not count against the hourly limit or the burst limit.'
      : `Costs ${weight} ${weight === 1 ? 'request' : 'requests'}, counted against the hourly limit and against the burst limit.`;
  return category ? `${limits} Also counts as one operation in the rate limit category \`${category}\`.` : limits;
}

/**
 * Returns the error codes that are specific to an operation, each with its cause. The shared response of each status
 * lists all codes of this status once, for all operations.
 */
function errorsOf(compiled: CompiledRoute, { hasReader, takesInput }: RouteFacts): string[] {
  const { route, kind, input, permission, secondFactor } = compiled;
  const finds = input.fields.some((field) => field.in === 'path') || namesRecord(compiled);
  const changes = route.method === 'PUT' || route.method === 'DELETE';
  const general = {
    ...(takesInput && { INVALID_PARAMETERS: 'a parameter or field is not valid' }),
    ...(permission && { INSUFFICIENT_PERMISSIONS: 'the permission is missing' }),
    ...(secondFactor && { MFA_REQUIRED: 'the user must verify a second factor' }),
    ...(finds && { RESOURCE_NOT_FOUND: 'a record in the request does not exist, or the caller cannot access it' }),
    ...(kind === 'mutation' &&
      changes &&
      hasReader && { STALE_RESOURCE: 'the record has changed, so the ETag in `If-Match` is no longer current' }),
    ...(isOnce(compiled) && { IDEMPOTENCY_CONFLICT: 'the `Idempotency-Key` was used for another request' }),
    RATE_LIMIT_EXCEEDED: 'a limit of the plan is reached',
  };
  return Object.entries({ ...general, ...route.errors }).map(([code, when]) => `\`${code}\`: ${when}`);
}
