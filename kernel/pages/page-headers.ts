/**
 * Returns the headers of HTML pages: no external content, no script, no framing, no caching, no referrer. `formTargets`
 * are the origins to which the response of a form may redirect. Browsers apply `form-action` to these redirects too.
 */
export function pageHeaders(formTargets: readonly string[] = []): Record<string, string> {
  const forms = ["'self'", ...formTargets].join(' ');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'self'; form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`,
    'cache-control': 'no-store',
    ...PLAIN_HEADERS,
  };
}

/** Security headers of HTML pages, and of all other responses of the authorization server. */
export const PLAIN_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const;
