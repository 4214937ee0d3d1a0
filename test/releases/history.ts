import { expect } from 'vitest';
import { file, PNG } from '../rest/attachments.setup.ts';
import { recordKinds } from '../support/record-kinds.ts';
import { Records } from '../support/records.ts';
import type { Json, Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';

/** Contents of a recorded database, which tests check after a later release has opened it. */
export interface History {
  /** The id of the created record of each kind. The key is the name of the kind in `recordKinds`. */
  records: Record<string, string>;
  /** Paths below /v1 that returned 200 for the API key of the organization. */
  readable: string[];
  /** The email address of a user who can log in with PASSWORD. */
  email: string;
  /** A webhook without deliveries, and its signing secret. */
  webhook: { id: string; secret: string };
}

const LISTS = [
  '/accounts',
  '/services',
  '/services/catalog',
  '/billing/invoices',
  '/support/tickets',
  '/support/agents',
  '/support/kb',
  '/support/feedback',
  '/webhooks',
  '/auth/api-keys',
];

/**
 * Creates records of every domain in an organization over REST. It creates one record of each kind in `recordKinds`, so that
 * new kinds are included automatically. It also creates files, ratings, escalations, idempotent responses and failed
 * deliveries.
 */
export async function createHistory(tenant: Tenant, label: string): Promise<History> {
  const own = new Records(tenant, label);
  const records: Record<string, string> = {};
  for (const name of Object.keys(recordKinds)) records[name] = await own.id(name);

  const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<Json> => {
    const response = await tenant.rest('POST', path, { body, headers });
    expect([200, 201], `POST ${path}: ${JSON.stringify(response.body)}`).toContain(response.status);
    return response.body;
  };
  await post('/webhooks', {
    url: 'http://127.0.0.1:9/hook',
    events: ['ticket.*', 'comment.*'],
    description: `${label}: no server responds`,
  });
  const webhook = await post('/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['invoice.overdue'], description: label });
  const { email } = await userOf(tenant);
  const files = await ticketsOfAllStates(post, tenant, label, records.customer_id);
  await post('/support/feedback', { article_id: records.article_id, rating: 4, comment: label });
  await post('/accounts', { name: label, email: 'replayed@example.com' }, { 'idempotency-key': `${label} once` });

  const named = Object.entries(recordKinds).flatMap(([name, { readAt }]) => (readAt ? [readAt.replace('{}', records[name] ?? '')] : []));
  const readable = [...LISTS, ...named, ...files, `/webhooks/${records.webhook_id}/deliveries`];
  return { records, readable, email, webhook: { id: webhook.data.id, secret: webhook.data.secret } };
}

type Post = (path: string, body: object) => Promise<Json>;

/** Creates tickets in every state, with comments and files, and returns the paths of the files. */
async function ticketsOfAllStates(post: Post, tenant: Tenant, label: string, customer: string | undefined): Promise<string[]> {
  const open = async (title: string, more: object = {}): Promise<Json> =>
    (await post('/support/tickets', { title: `${label}: ${title}`, description: label, customer_id: customer, ...more })).ticket;
  const change = async ({ id }: Json, body: object): Promise<void> => {
    const response = await tenant.rest('PUT', `/support/tickets/${id}`, { body });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
  };
  const attachments = [file('modem.png', 'image/png', PNG), file('log.txt', 'text/plain', 'link down\nlink up\n')];
  const withFiles = await open('with files', { priority: 'high', attachments });
  await post(`/support/tickets/${withFiles.id}/comments`, { content: `${label}: we look into it` });
  await post(`/support/tickets/${withFiles.id}/comments`, { content: `${label}: for us only`, visibility: 'internal' });
  const escalated = await open('escalated', { priority: 'critical' });
  await post(`/support/tickets/${escalated.id}/escalate`, { escalation_level: 1, reason: label, notify: ['noc@example.com'] });
  const resolved = await open('resolved');
  await change(resolved, { status: 'in_progress' });
  await change(resolved, { status: 'resolved' });
  await post('/support/feedback', { ticket_id: resolved.id, rating: 5, comment: label });
  const reopened = await open('reopened', { priority: 'low' });
  await change(reopened, { status: 'resolved' });
  await change(reopened, { status: 'open' });
  return withFiles.attachments.map(({ id }: Json) => `/attachments/${id}`);
}
