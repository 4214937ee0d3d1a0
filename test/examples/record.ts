import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { receiver } from '../events/receiver.ts';
import { clock, rig } from '../rig.ts';
import { callWithExample } from '../support/example-calls.ts';
import { openApiAjv, responseDeviations } from '../support/openapi-schemas.ts';
import { routes } from '../support/operations.ts';
import { Records } from '../support/records.ts';
import type { Json } from '../tenant.ts';
import { LABEL, polish } from './polish.ts';

const FILE = 'apps/platform/examples.json';
const isAll = process.env.EXAMPLES === 'all';

/**
 * Records the examples of responses (`npm run examples`). It runs as a test because it creates records with the helpers
 * of tests. An existing example is kept if it matches the OpenAPI document and has the fields of the response.
 * `EXAMPLES=all npm run examples` records all examples again.
 */
test('every REST operation returns a response that is recorded as an example and matches the OpenAPI document', async () => {
  const known: Record<string, Json> = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
  const tenant = await (await rig()).organization({ plan: 'custom' });
  const records = new Records(tenant, LABEL);
  const { url } = await receiver();
  const ajv = openApiAjv();
  const examples: Record<string, Json> = {};
  // lists come last, so that they have records
  for (const route of routes.toSorted((a, b) => Number(isList(a)) - Number(isList(b)))) {
    const response = await callWithExample(route, records, url);
    expect(response.status, `${route.operationId}: ${JSON.stringify(response.body)}`).toBeLessThan(300);
    const recorded = polish(response.body, clock.now());
    const before = known[route.operationId];
    const fits = before && responseDeviations(ajv, route, response.status, before).length === 0 && shapeOf(before) === shapeOf(recorded);
    examples[route.operationId] = fits && !isAll ? before : recorded;
    expect(responseDeviations(ajv, route, response.status, examples[route.operationId]), route.operationId).toEqual([]);
  }
  const inOrder = Object.fromEntries(routes.map(({ operationId }) => [operationId, examples[operationId]]));
  writeFileSync(FILE, `${JSON.stringify(inOrder, null, 2)}\n`);
}, 600_000);

const isList = ({ method, path }: { method: string; path: string }): boolean => method === 'GET' && !path.includes('{');

/** The paths of all fields, without the indexes of list entries. */
const shapeOf = (value: Json): string => [...new Set(pathsIn(value, ''))].toSorted().join('\n');

function* pathsIn(value: Json, path: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const place = Array.isArray(value) ? `${path}[]` : `${path}.${name}`;
    yield place;
    yield* pathsIn(inner, place);
  }
}
