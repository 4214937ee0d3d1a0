import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from '../kernel/pages/page-headers.ts';
import { StaticContent } from '../router/static-content.ts';

/** Folders of the build output (guide.build.ts): beside the compiled bridge, or in dist/ when the bridge runs from its sources. */
const FOLDERS = ['../guide/', '../dist/guide/'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
const EXTENSION = '.html';
const PUBLIC = { access: 'public', weight: 0 } as const;

export const GUIDE = '/docs/guide';
/** The name of the first page, which is served at `GUIDE` itself. */
export const INDEX = 'index';

/** Serves the pages of docs/guide/ that the build rendered. They need no script, and load the style sheet of all pages only. */
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

/** The names of the pages in the folder of the build. */
export const guidePagesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length));

export const guideContent = (folder: string, name: string): StaticContent =>
  new StaticContent(readFileSync(join(folder, `${name}${EXTENSION}`)), 'text/html; charset=utf-8', 'no-cache');
