import { z } from 'zod';
import { NoResponse } from '../../../../kernel/outbound/http.client.ts';
import type { Outcome } from '../integration.provider.ts';
import { JiraRefused } from './jira.client.ts';

const errorBody = z.object({ errorMessages: z.array(z.string()).catch([]), errors: z.record(z.string(), z.string()).catch({}) }).partial();
const WORDS_LENGTH = 300;
const REASONS: Readonly<Record<number, string>> = { 401: 'unauthorized', 403: 'forbidden', 404: 'not_found', 410: 'gone' };

/** Returns Jira's error messages by field. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof JiraRefused) || error.response.status !== 400) return {};
  return error.response.json(errorBody).data?.errors ?? {};
}

/**
 * Converts a failed request to an outcome. If `isOfSite` is true, status 404 means that the Jira site does not exist,
 * so the integration is disabled. If `isOfSite` is false, status 404 refuses only this delivery. Set `isOfSite` only if
 * the request contained no issue id.
 * @throws `error` itself if it is not a failed request to Jira
 */
export function outcomeOf(error: unknown, secret: string, isOfSite = false): Outcome {
  if (error instanceof NoResponse) return { kind: 'later', error: error.message, isUncertain: true };
  if (!(error instanceof JiraRefused)) throw error;
  const { status, retryAfterMs } = error.response;
  const said = wordsOf(error).replaceAll(secret, '[secret]');
  const words = `Jira answered ${status}${said ? `: ${said}` : ''}`;
  if (status === 429) return { kind: 'later', error: words, afterMs: retryAfterMs, isThrottling: true };
  if (status === 401 || status === 403 || status === 410 || (status === 404 && isOfSite))
    return { kind: 'disabled', reason: REASONS[status] ?? 'refused', error: words };
  if (status === 400 || status === 404 || status === 413) return { kind: 'refused', error: words };
  // any other response may come from a proxy, even a 2xx response with an unexpected body
  return { kind: 'later', error: words, afterMs: retryAfterMs, isUncertain: true };
}

/** Extracts Jira's error messages. Other content of the response is ignored, because it may be the page of a proxy. */
function wordsOf({ response }: JiraRefused): string {
  const { errorMessages = [], errors = {} } = response.json(errorBody).data ?? {};
  const said = [...errorMessages, ...Object.entries(errors).map(([member, words]) => `${member}: ${words}`)].join(' ');
  return said.length > WORDS_LENGTH ? `${said.slice(0, WORDS_LENGTH)}…` : said;
}
