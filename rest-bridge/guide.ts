import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from '../kernel/pages/page-headers.ts';
import { StaticContent } from '../router/static-content.ts';

/**
 * Folders of the build output (guide.build.ts). The first folder is next to the compiled bridge. The second folder is
 * in dist/, for a bridge that runs from its sources.
 */
const FOLDERS = ['../guide/', '../dist/guide/'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
const EXTENSION = '.html';
const PUBLIC = { access: 'public', weight: 0 } as const;

export const GUIDE = '/docs/guide';
/** File name of the first page. The address of this page is `GUIDE`, without a file name. */
export const INDEX = 'index';

/**
 * Serves the pages of docs/guide/ that the build rendered. They need no script, and only the style sheet that all pages
 * share.
 */
export function mountGuide(app: FastifyInstance): void {
  const folder = FOLDERS.find((one) => existsSync(join(one, `${INDEX}${EXTENSION}`)));
  if (!folder) return;
  const names = new Set(guidePagesIn(folder));
  const contents = new Map<string, StaticContent>();
  const send = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const content = contents.get(name) ?? guideContent(folder, name);
    contents.set(name, content);
    return content.send(request, reply.headers(pageHeaders()));
  };
  app.get(GUIDE, { config: PUBLIC }, (request, reply) => send(request, reply, INDEX));
  app.get<{ Params: { name: string } }>(`${GUIDE}/:name`, { config: PUBLIC }, (request, reply) => {
    const { name } = request.params;
    return names.has(name) && name !== INDEX ? send(request, reply, name) : reply.callNotFound();
  });
}

/** Returns the names of the pages in a folder of the build output. */
export const guidePagesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length));

export const guideContent = (folder: string, name: string): StaticContent =>
  new StaticContent(readFileSync(join(folder, `${name}${EXTENSION}`)), 'text/html; charset=utf-8', 'no-cache');
