import { expect, test } from 'vitest';
import { eventually, rig } from '../rig.ts';
import { EventsWorld } from './events-world.ts';

const platform = await rig();

test.each([
  ['HTTPS://Example.COM', 'https://example.com/'],
  ['https://example.com:443/hook', 'https://example.com/hook'],
  ['https://müller.example/Straße?q=ü#top', 'https://xn--mller-kva.example/Stra%C3%9Fe?q=%C3%BC#top'],
  ['https://example.com/a/../b', 'https://example.com/b'],
  ['  https://example.com/spaces around ', 'https://example.com/spaces%20around'],
  ['https://0x7f.1:8443/', 'https://127.0.0.1:8443/'],
])('the webhook URL %s is normalized to %s when a webhook is created or updated', async (url, expected) => {
  const tenant = await platform.organization();
  const created = await tenant.rest('POST', '/webhooks', { body: { url, events: ['ticket.created'] } });
  expect([created.status, created.body.data?.url], JSON.stringify(created.body)).toEqual([201, expected]);
  const other = await tenant.rest('POST', '/webhooks', { body: { url: 'https://other.example', events: ['ticket.created'] } });
  const changed = await tenant.rest('PUT', `/webhooks/${other.body.data.id}`, { body: { url } });
  expect([changed.status, changed.body.data?.url]).toEqual([200, expected]);
  expect((await tenant.rest('GET', `/webhooks/${other.body.data.id}`)).body.data.url).toBe(expected);
});

test('a webhook URL that is too long after percent-encoding returns 400', async () => {
  const tenant = await platform.organization();
  const url = `https://example.com/${'ü'.repeat(1500)}`;
  const { status, body } = await tenant.rest('POST', '/webhooks', { body: { url, events: ['ticket.created'] } });
  expect([status, body.error.details.errors[0].field]).toEqual([400, 'url']);
});

test('a webhook URL that normalizes to a private address returns INVALID_PARAMETERS', async () => {
  const world = await EventsWorld.open();
  const process = await world.start({ allowPrivateUrls: false });
  for (const url of ['https://①②⑦.0.0.1/', 'https://127。0。0。1/', 'https://0177.0.0.1/', 'https://[::ffff:7f00:1]/']) {
    const { error } = await process.graphql(
      'mutation ($url: String!) { createWebhook(input: { url: $url, events: ["thing.*"] }) { id } }',
      { url },
    );
    expect(error, url).toMatchObject({ code: 'INVALID_PARAMETERS' });
  }
});

test('startup normalizes the webhook URLs that an earlier release stored and does not change the field updated_at', async () => {
  const world = await EventsWorld.open();
  const before = await world.start();
  const id = await before.subscribe('https://example.com/hook');
  await before.stop();
  await world.query(`update events.webhook set url = 'HTTPS://Example.com:443/hook'`);
  await world.query(`insert into events.backfill (name) values ('webhook-urls')`);
  const read = () => world.query<{ id: string; url: string; updated_at: unknown }>('select id, url, updated_at from events.webhook');
  const [first] = await read();
  await world.start();
  await eventually(async () => (await read())[0]?.url === 'https://example.com/hook');
  expect(await read()).toEqual([{ id, url: 'https://example.com/hook', updated_at: first?.updated_at }]);
});
