import { beforeAll, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { RestResponse, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization();
});

const TARGETS = ['low', 'medium', 'high', 'critical'].map((priority) => ({
  priority,
  response_time: '1 hour',
  resolution_time: '8 hours',
}));

const recordIn = ({ body }: RestResponse): { id: string; revision: number } => body.data;

/** Kinds of records that several people edit: how to create one, two different changes, and the GraphQL mutation. */
const kinds = [
  {
    path: '/support/kb',
    body: { title: 'Reset the modem', body: 'Hold the button.', category: 'connectivity' },
    changes: [{ title: 'Reset a modem' }, { body: 'Hold the button for ten seconds.' }],
    field: 'updateArticle(id: $id, input: { summary: "Short." }, expectedRevision: $revision)',
  },
  {
    path: '/support/sla-policies',
    body: { name: 'Night shift', targets: TARGETS },
    changes: [{ name: 'Late shift' }, { holidays: ['2026-12-25'] }],
    field: 'updateSlaPolicy(id: $id, input: { timezone: "Europe/Berlin" }, expectedRevision: $revision)',
  },
];

describe.each(kinds)('revisions of $path', ({ path, body, changes, field }) => {
  const make = async (): Promise<string> => {
    const made = await tenant.rest('POST', path, { body });
    expect(made.status).toBe(201);
    return `${path}/${recordIn(made).id}`;
  };
  const seen = async (record: string): Promise<{ etag: string; revision: number }> => {
    const found = await tenant.rest('GET', record);
    return { etag: found.headers.get('etag') ?? '', revision: recordIn(found).revision };
  };

  test('of two concurrent updates of a record with the same If-Match ETag, one returns 200 and the other returns 409', async () => {
    const record = await make();
    const { etag, revision } = await seen(record);
    const responses = await Promise.all(
      changes.map((change) => tenant.rest('PUT', record, { body: change, headers: { 'if-match': etag } })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await seen(record)).revision).toBe(revision + 1);
    await tenant.rest('DELETE', record);
  });

  test('a mutation with an outdated expectedRevision returns STALE_RESOURCE, and a mutation without expectedRevision succeeds', async () => {
    const record = await make();
    const id = record.slice(path.length + 1);
    const { revision } = await seen(record);
    const change = (expected: number | null) =>
      tenant.graphql(`mutation ($id: ID!, $revision: Int) { ${field} { revision } }`, { id, revision: expected });
    expect((await change(revision + 1)).errors?.[0]?.extensions.code).toBe('STALE_RESOURCE');
    expect((await change(revision)).errors).toBeUndefined();
    expect((await change(revision)).errors?.[0]?.extensions.code).toBe('STALE_RESOURCE');
    expect((await change(null)).errors).toBeUndefined();
    await tenant.rest('DELETE', record);
  });
});
