import type { IncomingMessage } from 'node:http';

const AREAS = ['connectivity', 'voice', 'cloud', 'security', 'ai'];
/** Paths under /services/<area> that have their own routes and are not aliases (docs/decisions/surface.md). */
const NOT_ALIASES = ['cloud/platforms', 'security/managed', 'security/infrastructure', 'ai/platforms'];
const SERVICES = '/v1/services/';

/**
 * Rewrites aliases: `/api/v1/…` to `/v1/…`, and `/v1/services/<area>/…` to `/v1/<area>/…`.
 * This function is the `rewriteUrl` option of the server, which calls it for every request before routing.
 */
export function rewriteUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const versioned = url.startsWith('/api/v1/') ? url.slice('/api'.length) : url;
  if (!versioned.startsWith(SERVICES)) return versioned;
  const rest = versioned.slice(SERVICES.length);
  const isAlias = AREAS.some((area) => rest.startsWith(`${area}/`)) && !NOT_ALIASES.some((path) => isAtOrUnder(rest, path));
  return isAlias ? `/v1/${rest}` : versioned;
}

function isAtOrUnder(url: string, path: string): boolean {
  const next = url[path.length];
  return url.startsWith(path) && (next === undefined || next === '/' || next === '?');
}
