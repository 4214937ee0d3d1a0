import { expect, test } from 'vitest';
import { del, get, post } from '../../rest-bridge/route.ts';
import { categoryByPermission, costsByRoutes, prioritiesByRoutes } from './rate-categories.ts';

const routes = [
  get('getOutages', '/outages', 'outages', { summary: '', priority: 'critical' }),
  get('listAccounts', '/accounts', 'accounts', { summary: '', category: 'account' }),
  post('createAccount', '/accounts', 'createAccount', { summary: '', category: 'account' }),
  post('createReport', '/reports', 'createReport', { summary: '', category: 'export' }),
  post('createHook', '/hooks', 'createWebhook', { summary: '' }),
  post('createBillingHook', '/billing/hooks', 'createWebhook', { summary: '', category: 'billing' }),
  del('deactivateAgent', '/agents/{agent_id}', 'deactivateAgent', { summary: '' }),
];
const price = (...fields: string[]) => ({ weight: fields.length, requests: fields.length, fields });

test('a GraphQL operation has the lowest priority of its root fields', () => {
  const priorityOf = prioritiesByRoutes(routes);
  expect(priorityOf(price('outages'))).toBe('critical');
  expect(priorityOf(price('outages', '__typename'))).toBe('critical');
  expect(priorityOf(price('outages', 'accounts'))).toBe('high');
  expect(priorityOf(price('outages', 'createReport'))).toBe('low');
  expect(priorityOf(price('outages', 'ofNoRoute'))).toBe('normal');
  expect(priorityOf(price())).toBe('normal');
});

test('a GraphQL field that serves several REST routes has the lowest priority of these routes', () => {
  expect(prioritiesByRoutes(routes)(price('createWebhook'))).toBe('normal');
});

test('rate limits charge a GraphQL operation the same weight, requests and categories as REST requests with the same effect', () => {
  const costOf = costsByRoutes(routes);
  expect(costOf(price('accounts', 'createAccount', 'createAccount', 'createReport', 'createWebhook'))).toEqual({
    weight: 5,
    requests: 5,
    categories: { account: 2, export: 1 },
  });
  expect(costOf({ weight: 0, requests: 0, fields: ['outages'] })).toBeUndefined();
});

test('a query whose REST route uses POST costs as much as another query, or the weight that the route states', () => {
  const posts = [
    post('searchLogs', '/logs/search', 'searchLogs', { summary: '', weight: 1 }),
    post('checkAvailability', '/availability', 'availability', { summary: '' }),
    post('runScan', '/scans', 'scans', { summary: '', weight: 3 }),
    get('getUsage', '/usage', 'usage', { summary: '', weight: 0 }),
    post('recordUsage', '/usage', 'recordUsage', { summary: '', weight: 0 }),
  ];
  const costOf = costsByRoutes(posts, { isQuery: (field) => field !== 'recordUsage' });
  const weights = ['searchLogs', 'availability', 'scans', 'usage'].map((field) => costOf(price(field))?.weight);
  expect(weights).toEqual([1, 1, 3, undefined]);
  expect(costOf(price('searchLogs', 'searchLogs', 'searchLogs'))?.weight).toBe(3);
  expect(costOf({ weight: 2, requests: 1, fields: ['recordUsage'] })).toBeUndefined();
});

test('a mutation whose REST route uses DELETE has the weight of a DELETE request, also if it is not named "delete…"', () => {
  expect(costsByRoutes(routes)({ weight: 4, requests: 2, fields: ['deactivateAgent', 'createReport'] })?.weight).toBe(5);
});

test('a mutation without a REST route counts as a billing operation or as an order, according to its permission and second factor', () => {
  const permissions: Record<string, string> = {
    'Mutation.sendInvoice': 'billing:write',
    'Query.invoiceSettings': 'billing:read',
    'Mutation.createWebhook': 'billing:write',
    'Mutation.verify': 'credentials:write',
    'Mutation.order': 'services:create',
    'Mutation.rejectQuote': 'services:create',
  };
  const secondFactor = new Set(['Mutation.sendInvoice', 'Mutation.verify', 'Mutation.order']);
  const costOf = costsByRoutes(routes, {
    withoutRoute: categoryByPermission(
      (coordinate) => permissions[coordinate],
      (coordinate) => secondFactor.has(coordinate),
    ),
  });
  expect(costOf(price('sendInvoice', 'invoiceSettings', 'verify'))?.categories).toEqual({ billing: 1 });
  expect(costOf(price('order', 'order', 'rejectQuote'))?.categories).toEqual({ provisioning: 2 });
  expect(costOf(price('createWebhook'))?.categories).toEqual({});
});
