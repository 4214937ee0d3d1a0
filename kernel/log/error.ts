import { redactText } from './redaction.ts';

/**
 * Matches the SQL statement in an error message of the ORM, which has the form `statement - message`. A value in the
 * statement may also contain ` - `, so the match extends to the last ` - `.
 */
const STATEMENT = /^\s*(?:select|insert into|update|delete from|with|alter|create|drop)\b(?:[\s\S]*(?= - )|[\s\S]*$)/i;
const SHOWN_LENGTH = 500;
const MAX_CAUSES = 3;

/**
 * Returns the properties of an unexpected error for the log: its stack and its message, without keys, tokens,
 * credentials in URLs, and SQL.
 */
export const describeForLog = (error: unknown): Record<string, unknown> => describe(error, 0);

function describe(error: unknown, depth: number): Record<string, unknown> {
  if (!isErrorLike(error)) return { message: mask(String(error)) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause !== undefined && depth < MAX_CAUSES ? { cause: describe(error.cause, depth + 1) } : {};
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .map((line) => line.trim());
  return { ...(error.name && { name: error.name }), ...code, message: mask(error.message), at: frames, ...cause };
}

/**
 * Returns true for an error, or for an object with the properties of an error. pg-boss reports copies of errors, which
 * are plain objects.
 */
const isErrorLike = (error: unknown): error is Error =>
  error instanceof Error || (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string');

const mask = (text: string): string => redactText(text.replace(STATEMENT, '[statement]')).slice(0, SHOWN_LENGTH);
