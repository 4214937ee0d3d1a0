import type { IncomingMessage } from 'node:http';

const AREAS = ['connectivity', 'voice', 'cloud', 'security', 'ai'];
/** Paths under /services/<area> that are routes of their own and not aliases (docs/decisions/surface.md). */
const REAL = ['cloud/platforms', 'security/managed', 'security/infrastructure', 'ai/platforms'];
const SERVICES = '/v1/services/';

/**
 * For the server's `rewriteUrl`: `/api/v1/…` is `/v1/…`, and `/v1/services/<area>/…` is `/v1/<area>/…`. Runs for each request,
 * before routing.
 */
export function rewriteUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const versioned = url.startsWith('/api/v1/') ? url.slice('/api'.length) : url;
  if (!versioned.startsWith(SERVICES)) return versioned;
  const rest = versioned.slice(SERVICES.length);
  const isAlias = AREAS.some((area) => rest.startsWith(`${area}/`)) && !REAL.some((path) => isAtOrUnder(rest, path));
  return isAlias ? `/v1/${rest}` : versioned;
}

function isAtOrUnder(url: string, path: string): boolean {
  const next = url[path.length];
  return url.startsWith(path) && (next === undefined || next === '/' || next === '?');
}
