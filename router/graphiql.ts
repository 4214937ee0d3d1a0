import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { StaticContent } from './static-content.ts';

/**
 * Folders of the built page. The first folder is next to the compiled router. The second folder is in dist/, for a
 * router that runs from its sources.
 */
const FOLDERS = ['../graphiql/', '../dist/graphiql/'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/**
 * Content security policy of the page. It allows only files of this server, and inline styles, which the editor sets on
 * its elements.
 */
const SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "worker-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const IMMUTABLE = 'public, max-age=31536000, immutable';
const PUBLIC = { access: 'public', weight: 0 } as const;

/**
 * Serves GraphiQL to browsers at `path`, and its files at `path`/assets. Does nothing if `npm run build` has not built
 * the page.
 */
export function mountGraphiql(app: FastifyInstance, path: string): void {
  const folder = FOLDERS.find((one) => existsSync(join(one, 'index.html')));
  if (!folder) return;
  const page = readFileSync(join(folder, 'index.html'), 'utf8').replaceAll('="./assets/', `="${path}/assets/`);
  const assets = new Map(readdirSync(join(folder, 'assets')).map((name) => [name, join(folder, 'assets', name)]));
  const contents = new Map<string, StaticContent>();

  app.addConstraintStrategy(BROWSER_PAGES);
  app.route({
    method: 'GET',
    url: path,
    constraints: { page: 'html' },
    config: PUBLIC,
    handler: (_, reply) =>
      secured(reply).header('vary', 'accept').header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page),
  });
  app.get<{ Params: { name: string } }>(`${path}/assets/:name`, { config: PUBLIC }, (request, reply) => {
    const file = assets.get(request.params.name);
    if (!file) return reply.callNotFound();
    const content = contents.get(file) ?? assetOf(file);
    contents.set(file, content);
    return content.send(request, secured(reply));
  });
}

/** Returns the files of the page, so that the build can compress them. */
export function graphiqlAssets(): StaticContent[] {
  const folder = FOLDERS.map((one) => join(one, 'assets')).find((one) => existsSync(one));
  return folder ? readdirSync(folder).map((name) => assetOf(join(folder, name))) : [];
}

/** Returns a file of the page. Browsers may cache it forever, because its name changes with its content. */
const assetOf = (file: string): StaticContent =>
  new StaticContent(readFileSync(file), TYPES[extname(file)] ?? 'application/octet-stream', IMMUTABLE);

const secured = (reply: FastifyReply): FastifyReply =>
  reply
    .header('content-security-policy', SECURITY_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer');

/**
 * A route constraint for browsers that open the page. Their `Accept` header starts with `text/html`, and the URL has no
 * `query=`. Clients that send a query with GET use the same path.
 */
const BROWSER_PAGES = {
  name: 'page',
  storage() {
    const handlers: Record<string, unknown> = {};
    return {
      get: (key: string) => handlers[key] ?? null,
      set: (key: string, handler: unknown) => {
        handlers[key] = handler;
      },
    };
  },
  deriveConstraint: ({ headers, url = '' }: { headers: { accept?: string | undefined }; url?: string | undefined }) =>
    headers.accept?.startsWith('text/html') && !url.includes('query=') ? 'html' : 'data',
  mustMatchWhenDerived: false,
} as never;
