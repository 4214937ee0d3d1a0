import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { rig } from '../rig.ts';

const readme = readFileSync('README.md', 'utf8');
/** The JSON bodies of the curl lines, in their order. */
const bodies = [...readme.matchAll(/ -d '(\{[\s\S]*?\})'/g)].map(([, text = '']) => text.replaceAll('\n', ' '));

test('what the README sends over REST and GraphQL is accepted as it stands', async () => {
  const tenant = await (await rig()).organization();
  const [account, order, query, webhook] = bodies.map((text) => JSON.parse(text));
  const created = await tenant.rest('POST', '/accounts', { body: account });
  expect(created.status).toBe(201);
  expect(order.location).toEqual(LOCATION);
  expect((await tenant.rest('POST', '/connectivity/internet', { body: { ...order, account_id: created.body.data.id } })).status).toBe(201);
  const { data, errors } = await tenant.graphql(query.query);
  expect(errors).toBeUndefined();
  expect(data.accounts.nodes[0].name).toBe(account.name);
  expect((await tenant.rest('POST', '/webhooks', { body: webhook })).status).toBe(201);
});

test('what the README subscribes to can be followed', async () => {
  const [, query = ''] = /const query = '(subscription [^']+)'/.exec(readme) ?? [];
  const { assembly } = await rig();
  expect(assembly.router.prepare(query).errors).toEqual([]);
  const [, path = ''] = /"http:\/\/127\.0\.0\.1:4000(\/v1\/events\/stream[^"]*)"/.exec(readme) ?? [];
  const { origin, apiKey } = await (await rig()).organization();
  const answer = await fetch(`${origin}${path}`, { method: 'HEAD', headers: { authorization: `Bearer ${apiKey}` } });
  expect(answer.status).toBe(200);
});
