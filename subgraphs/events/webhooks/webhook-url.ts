import { Backfill, type Position } from '../../../kernel/database/backfill.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { UrlGuard } from '../../../kernel/outbound/ssrf.ts';

export const URL_LENGTH = 2048;
const BATCH = 500;

/**
 * Returns a URL in its stored form: `new URL(url).href`, with international domains in punycode and without default
 * ports.
 * @throws InvalidParameters if the platform must not send requests to the URL
 */
export async function acceptedUrl(guard: UrlGuard, url: string): Promise<string> {
  const reason = (await guard.problemWith(url)) ?? lengthProblem(new URL(url).href);
  if (reason) throw new InvalidParameters([{ field: 'url', value: url, reason }]);
  return new URL(url).href;
}

const lengthProblem = ({ length }: string): string | undefined =>
  length > URL_LENGTH ? `may have at most ${URL_LENGTH} characters after encoding of international characters` : undefined;

/** Normalizes the URLs of webhooks that were created before migration 0003. */
export const urlBackfill = (deps: { orm: Orm; log: Logger }): Backfill => new Backfill(deps, 'webhook-urls', normalizeUrls);

async function normalizeUrls(tx: EntityManager, from: Position): Promise<Position> {
  const rows = await tx.execute<{ id: string; url: string }[]>(
    `select "id", "url" from "events"."webhook" where "id" > ? order by "id" limit ${BATCH}`,
    [from?.[0] ?? ''],
  );
  for (const { id, url } of rows) {
    const href = URL.parse(url)?.href;
    // the receiver of the normalized URL is the same, so `updated_at` and pending deliveries do not change
    if (href && href !== url) await tx.execute(`update "events"."webhook" set "url" = ? where "id" = ? and "url" = ?`, [href, id, url]);
  }
  const last = rows.at(-1);
  return last && rows.length === BATCH ? [last.id] : null;
}
