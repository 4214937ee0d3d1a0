import { ValidateBy } from 'class-validator';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);
const MAX_LENGTH = 2000;
const REDIRECT_PATTERN = '^(https://|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]+)?(/|$))[^\\s#*\\\\]*$';

/**
 * Checks a redirect URI: https, or http on the local machine for development (RFC 8252, 7.3). It must not contain a
 * fragment (RFC 6749, 3.1.2), credentials or a wildcard.
 */
export function isRedirectUri(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !URL.canParse(value) || /[\s#*\\]/.test(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  if (username || password || !hostname) return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

export const IsRedirectUri = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isRedirectUri', validator: { validate: isRedirectUri } },
    {
      each: true,
      ...jsonSchema({ format: 'uri', maxLength: MAX_LENGTH, pattern: REDIRECT_PATTERN }),
      message:
        'must be a list of https addresses without fragment, such as https://app.example.com/callback; http only on this machine (127.0.0.1)',
    },
  );
