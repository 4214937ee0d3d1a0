import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm, Rows } from '../../../kernel/database/database.ts';
import { CATEGORY_IDS } from '../categories/category-ids.ts';

/**
 * Folder of the articles that come with the platform. They are Markdown files with front matter; the build copies them next to
 * this file.
 */
const FOLDER = new URL('./library/', import.meta.url);

const frontMatter = z.strictObject({
  kind: z.enum(['article', 'faq']).default('article'),
  title: z.string().min(1).max(200),
  summary: z.string().max(500).default(''),
  category: z.enum(CATEGORY_IDS),
  tags: z.array(z.string().min(1).max(50)).default([]),
  position: z.int().min(0).default(0),
});

export type LibraryArticle = z.infer<typeof frontMatter> & { id: string; body: string };

const PARTS = /^---\n(.+?)\n---\n(.+)$/s;

/**
 * Derives the id of an article from its file name, so that the id is the same in every release. For example,
 * `rotate-an-api-key.md` becomes `art_rotate_an_api_key`. Renaming a file removes one article and adds another article.
 */
const idOf = (file: string): string => `art_${file.replace(/\.md$/, '').replaceAll('-', '_')}`;

/**
 * Reads the articles that come with the platform.
 * @throws Error with the file name if a file is invalid
 */
export async function readLibrary(): Promise<LibraryArticle[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.md')).toSorted();
  return Promise.all(files.map(async (file) => articleOf(file, await readFile(new URL(file, FOLDER), 'utf8'))));
}

function articleOf(file: string, text: string): LibraryArticle {
  const [, head, body] = PARTS.exec(text.replaceAll('\r\n', '\n')) ?? [];
  if (head === undefined || body === undefined) throw new Error(`${file} does not begin with front matter.`);
  const read = frontMatter.safeParse(parse(head));
  if (!read.success) throw new Error(`${file}: ${z.prettifyError(read.error)}`);
  return { ...read.data, id: idOf(file), body: body.trim() };
}

/**
 * Updates the articles of the platform to this release: adds new articles, gives changed articles a new version, and
 * archives removed articles. Does not touch articles of organizations. Several processes may run it at the same time.
 */
export async function refreshLibrary({ orm, rows, clock }: { orm: Orm; rows: Rows; clock: Clock }): Promise<void> {
  const table = `"${orm.config.getAll().schema}"."article"`;
  const articles = await readLibrary();
  const now = clock.now().toISOString();
  await rows.query(
    `insert into ${table} as a ("id", "kind", "title", "summary", "body", "category", "tags", "position", "status",
                                "author_kind", "author_id", "published_at", "created_at", "updated_at")
     select l."id", l."kind", l."title", l."summary", l."body", l."category", l."tags", l."position", 'published', 'system', 'library', $2, $2, $2
     from jsonb_to_recordset($1::text::jsonb) as l("id" text, "kind" text, "title" text, "summary" text, "body" text, "category" text,
                                                   "tags" jsonb, "position" int)
     on conflict ("id") do update set
       "kind" = excluded."kind", "title" = excluded."title", "summary" = excluded."summary", "body" = excluded."body",
       "category" = excluded."category", "tags" = excluded."tags", "position" = excluded."position", "status" = excluded."status",
       "version" = a."version" + 1, "published_at" = excluded."published_at", "updated_at" = excluded."updated_at"
     where a."organization_id" is null
       and (a."kind", a."title", a."summary", a."body", a."category", a."tags", a."position", a."status") is distinct from
           (excluded."kind", excluded."title", excluded."summary", excluded."body", excluded."category", excluded."tags",
            excluded."position", excluded."status")`,
    [JSON.stringify(articles), now],
  );
  await rows.query(
    `update ${table} set "status" = 'archived', "updated_at" = $2
     where "organization_id" is null and "status" <> 'archived' and not ("id" = any($1::text[]))`,
    [articles.map(({ id }) => id), now],
  );
}
