import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { StaticContent } from '../router/static-content.ts';

/**
 * Folders of the build output (docs.build.ts). The first folder is next to the compiled bridge. The second folder is in
 * dist/, for a bridge that runs from its sources.
 */
const FOLDERS = ['../reference/', '../dist/reference/'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
export const PAGE_FILE = 'index.html';
export const SCRIPT_FILE = 'scalar.js';

export const PAGE = '/docs';
export const SCRIPT = 'js/scalar.js';
const HOUR_SECONDS = 3600;
const PUBLIC = { access: 'public', weight: 0 } as const;

/**
 * Serves the API reference at /docs, and redirects / to it. The build generated the page from Scalar's package, so the
 * page loads nothing from other servers.
 */
export function mountDocs(app: FastifyInstance): void {
  const folder = FOLDERS.find((one) => existsSync(join(one, PAGE_FILE)));
  if (!folder) return;
  const page = readFileSync(join(folder, PAGE_FILE), 'utf8');
  const policy = policyFor(page);
  let script: StaticContent | undefined;
  // this redirect is for people who open the address that the platform prints at start
  app.get('/', { config: PUBLIC }, (_, reply) => reply.redirect(`${PAGE}/`));
  app.get(`${PAGE}/`, { config: PUBLIC }, (request, reply) => {
    // the page loads its script by a relative address, which is correct only if the page's own address ends with a
    // slash
    if (request.url.split('?', 1)[0] === PAGE) return reply.redirect(`${PAGE}/`, 301);
    return reply
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', policy)
      .type('text/html; charset=utf-8')
      .send(page);
  });
  app.get(`${PAGE}/${SCRIPT}`, { config: PUBLIC }, (request, reply) => {
    script ??= scriptIn(folder);
    return script.send(request, reply.header('x-content-type-options', 'nosniff'));
  });
}

/** Returns Scalar's script, which has about 4 MB. */
export const scriptIn = (folder: string): StaticContent =>
  new StaticContent(readFileSync(join(folder, SCRIPT_FILE)), 'text/javascript; charset=utf-8', `public, max-age=${HOUR_SECONDS}`);

/**
 * Returns the content security policy of the page: it may load only from this server, and run only its own inline
 * scripts.
 * Inline styles are allowed because Scalar adds its style sheet inline.
 */
function policyFor(html: string): string {
  const scripts = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)]
    .map(([, code = '']) => code)
    .filter((code) => code.trim() !== '');
  const hashes = scripts.map((code) => `'sha256-${hash('sha256', code, 'base64')}'`).join(' ');
  return `default-src 'self'; script-src 'self' ${hashes}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'; base-uri 'none'`;
}
