import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { eventually, rig } from '../rig.ts';

const readme = readFileSync('README.md', 'utf8');
/** The JSON bodies of the curl lines, in their order. */
const bodies = [...readme.matchAll(/ -d '(\{[\s\S]*?\})'/g)].map(([, text = '']) => text.replaceAll('\n', ' '));

test('what the README sends over REST and GraphQL is accepted as it stands', async () => {
  const tenant = await (await rig()).organization();
  const [account, order, query, ticket, webhook] = bodies.map((text) => JSON.parse(text));
  const created = await tenant.rest('POST', '/accounts', { body: account });
  expect(created.status).toBe(201);
  expect(order.location).toEqual(LOCATION);
  expect((await tenant.rest('POST', '/connectivity/internet', { body: { ...order, account_id: created.body.data.id } })).status).toBe(201);
  const { data, errors } = await tenant.graphql(query.query);
  expect(errors).toBeUndefined();
  expect(data.accounts.nodes[0].name).toBe(account.name);
  expect((await tenant.rest('POST', '/support/tickets', { body: ticket })).status).toBe(201);
  expect((await tenant.rest('POST', '/webhooks', { body: webhook })).status).toBe(201);
});

test('what the README follows is a subscription as it stands', async () => {
  const tenant = await (await rig()).organization();
  const query = /const query = `(subscription[\s\S]*?)`;/.exec(readme)?.[1] ?? '';
  const client = tenant.socket();
  onTestFinished(() => void client.dispose());
  const body = { title: 'Line is down', description: 'Dead since noon.' };
  const logged = async () => (await tenant.graphql('{ events(page: { limit: 1 }) { nodes { id } } }')).data.events.nodes[0]?.id;
  await tenant.rest('POST', '/support/tickets', { body });
  const events = client.iterate({ query, variables: { after: await eventually(logged) } });
  const next = events.next();
  await tenant.rest('POST', '/support/tickets', { body });
  expect((await next).value).toEqual({
    data: { events: { id: expect.any(String), event: expect.any(String), subject: { number: expect.any(String), account: null } } },
  });
  await events.return?.();
});

test('the stream of events that the README reads is there', async () => {
  const [, path = ''] = /"http:\/\/127\.0\.0\.1:4000(\/v1\/events\/stream[^"]*)"/.exec(readme) ?? [];
  const { origin, apiKey } = await (await rig()).organization();
  const answer = await fetch(`${origin}${path}`, { method: 'HEAD', headers: { authorization: `Bearer ${apiKey}` } });
  expect(answer.status).toBe(200);
});
