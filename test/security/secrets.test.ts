import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { operationOf, routes } from '../support/operations.ts';
import { Records } from '../support/records.ts';
import { rows, rowsWith, tables, textsIn } from '../support/tables.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';

/** Matches SQL statements, table names and database errors. */
const SQL =
  /\b(?:select|insert into|update|delete from)\b[^.]*\b(?:from|values|set|where)\b|"(?:identity|services|billing|support|monitoring|events)"\."|\bsyntax error\b|\brelation\b.*\bdoes not exist\b|\bPGlite\b|\bat .*\.(?:ts|js):\d+/i;
const MALICIOUS = [
  "' OR '1'='1",
  "'; drop table support.ticket; --",
  '" union select hash from identity.api_key --',
  '%00',
  '\u0000',
  '$1',
  '{{7*7}}',
  '../../etc/passwd',
];

let platform: Rig;
let tenant: Tenant;
/** Secrets that no response, log line or table may contain, by kind. */
const secrets: Record<string, string> = {};
/** Every response with an error status in the scenario of this file. */
const refusals: RestResponse[] = [];

const recorded = async (pending: Promise<RestResponse>): Promise<RestResponse> => {
  const response = await pending;
  if (response.status >= 400) refusals.push(response);
  return response;
};

let delivered = 0;
/** A webhook receiver that always fails. */
const failing = createServer((_, response) => {
  delivered += 1;
  response.writeHead(500).end();
});
afterAll(() => {
  failing.close();
  failing.closeAllConnections();
});

/** Runs the scenario: successful requests, rejected requests and internal errors. */
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
  const first = platform.assembly.firstAdministrator;
  Object.assign(secrets, { 'key of the organization': tenant.apiKey, 'first key': first?.apiKey, 'first password': first?.password });
  await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve));
  await useKeys();
  await useWebhooks();
  await useIntegrations();
  await sendMaliciousInput();
  await breakTables();
  await platform.advance(3_600_000);
});

async function useKeys(): Promise<void> {
  const body = { name: 'reader', permissions: ['accounts:read'] };
  const once = { 'idempotency-key': newId('request') };
  const { body: created } = await tenant.rest('POST', '/auth/api-keys', { body, headers: once });
  const { body: again } = await tenant.rest('POST', '/auth/api-keys', { body, headers: once });
  expect(again.api_key.key).toBe(created.api_key.key);
  secrets['key that was created'] = created.api_key.key;
  const reader = new Tenant(tenant.origin, tenant.organizationId, created.api_key.key);
  await reader.rest('GET', '/accounts');
  await recorded(reader.rest('GET', '/webhooks'));
  await recorded(reader.rest('POST', '/accounts', { body: '{"name": "' }));

  secrets['key that nobody has'] = `sk_live_${randomBytes(48).toString('hex').slice(0, 64)}`;
  secrets['key with a typo'] = `${tenant.apiKey.slice(0, -1)}!`;
  for (const name of ['key that nobody has', 'key with a typo']) {
    const wrong = new Tenant(tenant.origin, '', secrets[name] ?? '');
    await recorded(wrong.rest('GET', '/accounts'));
    await recorded(wrong.rest('GET', `/accounts?api_key=${secrets[name]}`));
    const { errors } = await wrong.graphql('{ accounts { nodes { id } } }');
    refusals.push({ status: 401, headers: new Headers(), body: errors });
  }
}

async function useWebhooks(): Promise<void> {
  secrets['webhook secret of ours'] = `whsec_${randomBytes(32).toString('base64')}`;
  const body = {
    url: `http://127.0.0.1:${(failing.address() as AddressInfo).port}/hook`,
    events: ['ticket.*'],
    secret: secrets['webhook secret of ours'],
  };
  const own = await tenant.rest('POST', '/webhooks', { body, headers: { 'idempotency-key': newId('request') } });
  expect(own.status).toBe(201);
  const made = await tenant.rest('POST', '/webhooks', { body: { ...body, secret: undefined } });
  secrets['webhook secret that was made'] = made.body.data.secret;
  secrets['webhook secret that is refused'] = 'whsec_this is no base64 but 32 long!!';
  await recorded(tenant.rest('POST', '/webhooks', { body: { ...body, secret: secrets['webhook secret that is refused'] } }));
  await recorded(tenant.rest('PUT', `/webhooks/${own.body.data.id}`, { body: { secret: secrets['webhook secret that is refused'] } }));
  await tenant.rest('POST', '/support/tickets', { body: { title: 'Told', description: 'to a receiver that fails' } });
  await eventually(() => delivered > 1);
}

async function useIntegrations(): Promise<void> {
  const nowhere = 'http://127.0.0.1:9';
  secrets['webhook of Slack'] = `/services/T000/B000/${randomBytes(16).toString('hex')}`;
  secrets['token of Jira'] = randomBytes(24).toString('hex');
  const slack = { webhook_url: `${nowhere}${secrets['webhook of Slack']}`, channel: '#support', events: ['ticket.*'] };
  const jira = { jira_url: nowhere, username: 'desk', api_token: secrets['token of Jira'], project_key: 'SUP' };
  const made = await tenant.rest('POST', '/support/integrations/slack', { body: slack });
  expect(made.status).toBe(201);
  secrets['secret of the webhook in Jira'] = (
    await tenant.rest('POST', '/support/integrations/jira', { body: jira })
  ).body.data.inbound_secret;
  await recorded(tenant.rest('POST', '/support/integrations/slack', { body: slack }));
  await recorded(tenant.rest('POST', '/support/integrations/slack', { body: { ...slack, webhook_url: `ftp:${slack.webhook_url}` } }));
  await recorded(tenant.rest('POST', '/support/integrations/jira', { body: { ...jira, api_token: `${jira.api_token}\n` } }));
  await tenant.rest('POST', `/support/integrations/slack/${made.body.data.id}/test`);
}

async function sendMaliciousInput(): Promise<void> {
  for (const text of MALICIOUS) {
    const shown = encodeURIComponent(text);
    for (const route of routes.filter(({ path }) => path.includes('{'))) {
      await recorded(tenant.rest(route.method, route.path.replace(/\{\w+\}/g, shown), { body: route.example }));
    }
    for (const route of routes.filter(({ method, path }) => method === 'GET' && !path.includes('{'))) {
      for (const { name, in: place } of operationOf(route).parameters) {
        if (place === 'query') await recorded(tenant.rest('GET', `${route.path}?${name}=${shown}`));
      }
    }
    await recorded(
      tenant.rest('POST', '/support/tickets', { body: { title: text, description: text, customer_id: text, metadata: { text } } }),
    );
    await recorded(tenant.rest('POST', '/support/tickets', { body: { title: text, description: text, metadata: { [text]: text } } }));
    const { errors } = await tenant.graphql('query ($id: ID!) { ticket(id: $id) { id } event(id: $id) { id } }', { id: text });
    if (errors) refusals.push({ status: 400, headers: new Headers(), body: errors });
  }
}

const broken: RestResponse[] = [];

/** Renames a column and a table while the platform runs, so that requests fail with internal errors. */
async function breakTables(): Promise<void> {
  const id = await new Records(tenant, 'Secrets').id('webhook_id');
  const all = await rows();
  // makes a statement with a secret parameter fail
  await all.query('alter table events.webhook rename column "description" to "description_away"', []);
  try {
    const body = { url: 'http://127.0.0.1:9/hook', events: ['ticket.*'], secret: secrets['webhook secret of ours'], description: 'x' };
    broken.push(await recorded(tenant.rest('POST', '/webhooks', { body })));
  } finally {
    await all.query('alter table events.webhook rename column "description_away" to "description"', []);
  }
  await all.query('alter table events.delivery rename to delivery_away', []);
  try {
    broken.push(await recorded(tenant.rest('GET', `/webhooks/${id}/deliveries?status=failed`)));
    const { errors } = await tenant.graphql('query ($id: ID!) { webhookDeliveries(webhookId: $id) { nodes { id } } }', { id });
    broken.push({ status: 500, headers: new Headers(), body: { error: { code: errors?.[0]?.extensions.code } } });
    refusals.push({ status: 500, headers: new Headers(), body: errors });
  } finally {
    await all.query('alter table events.delivery_away rename to delivery', []);
  }
}

const textOf = (response: RestResponse): string => JSON.stringify(response.body);
const named = (): [string, string][] => Object.entries(secrets);

describe('secrets after many requests and failures', () => {
  test('requests that use a renamed table or column return 500 INTERNAL_ERROR', () => {
    expect(broken.map(({ status, body }: Json) => [status, body.error.code])).toEqual(Array(3).fill([500, 'INTERNAL_ERROR']));
  });

  test('no request with invalid or malicious input returns INTERNAL_ERROR', () => {
    const failures = refusals.filter((response) => response.status >= 500 || textOf(response).includes('INTERNAL_ERROR'));
    // except the internal errors that the renamed tables cause
    expect(
      failures.filter((response) => !textOf(response).includes('webhookDeliveries') && !broken.includes(response)).map(textOf),
    ).toEqual([]);
  });

  test('no error response contains a secret or SQL', () => {
    expect(refusals.length).toBeGreaterThan(100);
    for (const response of refusals) {
      for (const [what, secret] of named()) expect(textOf(response), what).not.toContain(secret);
      // an error may contain values that the caller sent
      const ours = MALICIOUS.reduce((text, sent) => text.replaceAll(JSON.stringify(sent).slice(1, -1), ''), textOf(response));
      expect(ours).not.toMatch(SQL);
    }
  });

  test('no log line contains a secret or SQL', () => {
    expect(platform.logged.some((line) => /does not exist|INTERNAL|webhookDeliveries|statement/.test(line))).toBe(true);
    for (const line of platform.logged) {
      for (const [what, secret] of named()) expect(line, what).not.toContain(secret);
      expect(line).not.toMatch(/\b(?:select|insert into|update|delete from)\b.*\b(?:from|values|set|where)\b/i);
    }
  });

  test('no table contains a secret as plain text', async () => {
    const all = await tables();
    expect(all).toEqual(expect.arrayContaining(['identity.api_key', 'events.webhook', 'support.ticket', 'support.slack_integration']));
    const kept: string[] = [];
    for (const table of all) {
      const found = await textsIn(
        table,
        named().map(([, secret]) => secret),
      );
      kept.push(...named().flatMap(([what, secret]) => (found.includes(secret) ? `${table}: ${what}` : [])));
    }
    expect(kept).toEqual([]);
  });

  test('the tables that are searched for secrets contain data, and every secret is longer than 15 characters', async () => {
    expect(await rowsWith('support.ticket', 'to a receiver that fails')).toBeGreaterThan(0);
    expect(Object.values(secrets).every((secret) => secret.length > 15)).toBe(true);
  });
});
