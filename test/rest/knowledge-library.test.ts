import { beforeAll, describe, expect, test } from 'vitest';
import { readLibrary, refreshLibrary } from '../../subgraphs/support/knowledge/library.ts';
import { type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

/** Loads the platform's articles in the same way as a start of the platform. */
const startAgain = async () => {
  const { databases } = platform.assembly;
  const store = await databases.storeOf({ schema: 'support', entities: [], migrations: [] });
  await refreshLibrary({ ...store, clock: platform.clock });
};
const platformArticles = async (caller = tenant): Promise<Json[]> => {
  const { body } = await caller.rest('GET', '/support/kb?limit=200&sort=title');
  expect(body.pagination.has_more).toBe(false);
  return body.data.filter(({ is_platform }: Json) => is_platform);
};

describe('articles supplied by the platform', () => {
  test('every organization has each platform article exactly once, also after the platform restarts twice', async () => {
    const before = await platformArticles();
    expect(before.length).toBeGreaterThanOrEqual(15);
    expect(before.map(({ id }) => id).sort()).toEqual((await readLibrary()).map(({ id }) => id).sort());
    await Promise.all([startAgain(), startAgain()]);
    expect(await platformArticles()).toEqual(before);
    expect((await platformArticles(await platform.organization())).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });

  test('changing a platform article returns 409 INVALID_STATE, and the article keeps its ratings when a new version of the platform changes its text', async () => {
    const [{ id, title }] = await platformArticles();
    for (const [method, body] of [
      ['PUT', { title: 'Mine' }],
      ['DELETE', undefined],
    ] as const) {
      const refused = await tenant.rest(method, `/support/kb/${id}`, { body });
      expect([refused.status, refused.body.error.code]).toEqual([409, 'INVALID_STATE']);
    }
    await tenant.rest('POST', '/support/feedback', { body: { rating: 4, article_id: id } });
    const before = (await tenant.rest('GET', `/support/kb/${id}`)).body.data;
    expect(before).toMatchObject({ title, helpfulness: { ratings: 1 } });

    const own = (await tenant.rest('POST', '/support/kb', { body: { title: 'Own', body: 'Own.', category: 'ai', status: 'published' } }))
      .body.data;
    // simulates an older title from a previous release
    await (await rows()).query('update support.article set "title" = $2 where "id" = $1', [id, 'As it was']);
    await startAgain();
    const after = (await tenant.rest('GET', `/support/kb/${id}`)).body.data;
    expect(after).toMatchObject({ title, version: before.version + 1, helpfulness: { ratings: 1 } });
    expect((await tenant.rest('GET', `/support/kb/${own.id}`)).body.data).toEqual(own);
  });

  test('a platform article that the current release does not contain is archived', async () => {
    const insert = `insert into support.article ("id", "title", "body", "category", "tags", "status", "author_kind", "author_id", "created_at", "updated_at")
                    values ('art_of_an_older_release', 'Old', 'Old.', 'general', '[]', 'published', 'system', 'library', now(), now())`;
    await (await rows()).query(insert, []);
    await startAgain();
    const reader = await tenant.limitedTo('support:read');
    expect((await reader.rest('GET', '/support/kb/art_of_an_older_release')).status).toBe(404);
    expect((await tenant.rest('GET', '/support/kb/art_of_an_older_release')).body.data.status).toBe('archived');
    await (await rows()).query(`delete from support.article where "id" = 'art_of_an_older_release'`, []);
  });

  test.each([
    ['verify webhook signature', 'art_verify_webhook_signatures'],
    ['rate limit 429', 'art_rate_limits'],
    ['one way audio', 'art_voip_audio_problems'],
    ['internet down', 'art_internet_is_down'],
    ['idempotency key', 'art_repeat_requests_safely'],
    ['authenticator app', 'art_second_factor'],
    ['idempotancy', 'art_repeat_requests_safely'],
  ])('the first result of a knowledge search for "%s" is the platform article %s', async (q, id) => {
    const { body } = await tenant.rest('GET', `/support/knowledge?q=${encodeURIComponent(q)}`);
    expect(body.data.map((hit: Json) => hit.article_id)[0]).toBe(id);
  });

  test('every API path in a platform article exists in the OpenAPI document', async () => {
    const { paths } = (await (await fetch(`${platform.origin}/v1/openapi.json`)).json()) as Json;
    const known = Object.keys(paths).map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`));
    const named = (await readLibrary()).flatMap(({ id, body }) =>
      [...body.matchAll(/`(?:GET|POST|PUT|DELETE) (?:\/v1)?(\/[^\s`?]*)/g)].map(([, path = '']) => ({ id, path })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ path }) => !known.some((shape) => shape.test(path)))).toEqual([]);
  });
});
