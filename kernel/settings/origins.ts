import { text } from './setting.ts';

/** Allowed origins, as browsers send them in the header `Origin`. `*` allows every origin. */
export type AllowedOrigins = '*' | readonly string[];

/** Matches `https://app.example.com`, or the origin of an app with a web view, such as `capacitor://localhost`. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9[\]:._-]+$/;

/** Parses ALLOWED_ORIGINS: `*`, or origins separated by commas. */
export const allowedOrigins = text
  .transform((value) => value.split(',').map((part) => normalized(part.trim())))
  .refine(
    (origins) => (origins.length === 1 && origins[0] === '*') || origins.every((origin) => origin !== undefined && ORIGIN.test(origin)),
    'must be * or origins separated by commas, such as https://app.example.com',
  )
  .transform((origins): AllowedOrigins => (origins[0] === '*' ? '*' : (origins as string[])));

/**
 * Returns the origin as a browser sends it: in lower case, without the default port. Undefined if the value contains
 * more than scheme, host and port.
 */
function normalized(value: string): string | undefined {
  if (!URL.canParse(value)) return value;
  const { protocol, host, origin, pathname, search, hash, username } = new URL(value);
  if (pathname.length > 1 || search || hash || username || value.endsWith('/')) return undefined;
  return origin === 'null' ? `${protocol}//${host}` : origin;
}
