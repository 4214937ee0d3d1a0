/**
 * What goes with every page: nothing from elsewhere, no script, no frame around it, kept nowhere, and no address handed on.
 * `formTargets` are origins that a form's answer may redirect to: browsers hold those against `form-action` too.
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

/** What goes with everything that the authorization server answers. */
export const PLAIN_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const;
