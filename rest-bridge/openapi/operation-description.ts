import { getNamedType } from 'graphql';
import type { CompiledRoute } from '../compiled-route.ts';
import { snakeCase } from '../names.ts';
import { countedCategoryOf, weightOfRoute } from '../route.ts';
import { isOnce, namesRecord } from './operation-facts.ts';

interface RouteFacts {
  /** True if the operation's path also has a GET. */
  hasReader: boolean;
  takesInput: boolean;
}

/** Returns the description of an operation: its effect, its result, its permission, its cost, and its errors. */
export function descriptionOf(compiled: CompiledRoute, known: RouteFacts): string {
  const { route, permission, alsoRequired, secondFactor, field } = compiled;
  const about = route.description ?? inRestWords(field.description);
  return [
    ...(about ? [about] : []),
    `Responds with ${contentOf(compiled)}.`,
    permission
      ? permissionText([permission, ...alsoRequired])
      : route.access === 'public'
        ? 'No credentials are needed.'
        : 'Requires valid credentials; no permission is needed.',
    ...(route.partial ? [PARTIAL] : []),
    ...(secondFactor ? [secondFactorRule(permission)] : []),
    costOf(compiled),
    `Errors:\n\n${errorsOf(compiled, known)
      .map((error) => `- ${error}`)
      .join('\n')}`,
  ].join('\n\n');
}

const permissionText = (permissions: readonly string[]): string =>
  `${permissions.length === 1 ? 'Permission' : 'Permissions'}: ${permissions.map((one) => `\`${one}\``).join(' and ')}.`;

/** Returns who must verify a second factor. Permissions of the platform itself require one of every user. */
const secondFactorRule = (permission: string | undefined): string =>
  `${permission?.startsWith('platform:') ? 'If the caller is a user' : 'If the caller is a user who has a second factor, or whose organization requires one'}, the caller must have verified a second factor within the last 15 minutes. Otherwise the response is \`MFA_REQUIRED\`.`;

const PARTIAL =
  'A part of the response is null if the caller lacks its permission, or if the part of the platform that has the data is not available.';

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
  description?.replace(/ Null if (?:it|the service) does not exist[^.]*\./, '').replace(RETURNS_DELETED, '');
const RETURNS_DELETED = ' Returns the deleted record.';

/** Returns a noun phrase for the content of a successful response, such as `the complete list of agents`. */
export function contentOf({ recordType, isPage, isList, field }: CompiledRoute): string {
  const record = words(getNamedType(recordType).name);
  if (isPage) return `one page of ${plural(record)}`;
  if (field.description?.includes(RETURNS_DELETED)) return `the last state of the deleted ${record}`;
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
