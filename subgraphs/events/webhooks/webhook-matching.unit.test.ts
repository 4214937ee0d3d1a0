import { expect, test } from 'vitest';
import { type Webhook, WebhookFamily, WebhookPriority } from './webhook.entity.ts';
import { wants } from './webhook-matching.ts';

const webhook = (members: Partial<Webhook>) => ({ events: ['*'], family: null, filters: null, ...members });
const ticket = (members: object) => ({
  event: 'ticket.created',
  family: 'support',
  payload: JSON.stringify({ data: { ticket: members } }),
});
const invoice = { event: 'invoice.created', family: 'billing', payload: '{"data":{"invoice":{}}}' };

test.each([
  [['ticket.created'], true],
  [['ticket.*'], true],
  [['support.*'], true],
  [['support.ticket.*'], true],
  [['invoice.*', 'ticket.created'], true],
  [['ticket.updated'], false],
  [['billing.*'], false],
])('a webhook with the patterns %j receives the event ticket.created: %s', (events, expected) => {
  expect(wants(webhook({ events }), ticket({}), undefined)).toBe(expected);
});

test('a webhook of one event family receives no events of other families', () => {
  expect(wants(webhook({ family: WebhookFamily.SUPPORT }), ticket({}), undefined)).toBe(true);
  expect(wants(webhook({ family: WebhookFamily.SUPPORT }), invoice, undefined)).toBe(false);
});

test.each([
  [{ customerIds: ['cust_1'] }, { customer_id: 'cust_1' }, true],
  [{ customerIds: ['cust_1'] }, { customer_id: 'cust_2' }, false],
  [{ customerIds: ['cust_1'] }, { customer_id: null }, false],
  [{ priorities: [WebhookPriority.HIGH, WebhookPriority.CRITICAL] }, { priority: 'critical' }, true],
  [{ priorities: [WebhookPriority.HIGH] }, { priority: 'low' }, false],
  [{ customerIds: ['cust_1'], priorities: [WebhookPriority.HIGH] }, { customer_id: 'cust_1', priority: 'low' }, false],
  [{ customerIds: [], priorities: null }, { customer_id: null }, true],
])('a webhook with the filters %j receives ticket.created for a ticket with the fields %j: %s', (filters, members, expected) => {
  expect(wants(webhook({ filters }), ticket(members), undefined)).toBe(expected);
});

test('the filters of a webhook do not exclude events that are not about tickets', () => {
  expect(wants(webhook({ filters: { customerIds: ['cust_1'] } }), invoice, undefined)).toBe(true);
});

test.each([
  [['ticket.created'], true],
  [['support.ticket.created'], true],
  [['ticket.*'], false],
  [['support.*'], false],
  [['*'], false],
])('a webhook with the patterns %j receives ticket.created if this event type requires its own permission: %s', (events, expected) => {
  expect(wants(webhook({ events }), ticket({}), { requires: 'support:write' })).toBe(expected);
});
