import { beforeAll, expect, test } from 'vitest';
import { type BilledTenant, billedTenant } from '../billing.setup.ts';
import { type Rig, rig } from '../rig.ts';

/**
 * These tests check which SQL statements an operation runs. A read usually runs one statement for each kind of record in
 * its response. Ticket operations are tested in ticket-statements.test.ts.
 */
let platform: Rig;
let own: BilledTenant;

beforeAll(async () => {
  [platform, own] = [await rig(), await billedTenant()];
});

/** The SQL statements of a request, each as its verb and table, such as `select account`. */
async function statements(method: string, path: string, body?: object): Promise<string[]> {
  // the first request caches the API key and the query plan
  if (method === 'GET') await own.tenant.rest(method, path);
  const seen = await platform.clock.standingStill(() =>
    platform.statements(async () => expect((await own.tenant.rest(method, path, { body })).status).toBeLessThan(300)),
  );
  return seen.flatMap((sql) => {
    const [, verb, table] = /^\W*(\w+).*?"(?:identity|services|billing|support|monitoring)"\."(?!outbox)(\w+)"/s.exec(sql) ?? [];
    return table ? [`${verb} ${table}`] : [];
  });
}

const READS: [what: string, path: () => string, statements: string[]][] = [
  ['an account', () => `/accounts/${own.accountId}`, ['select account']],
  ['accounts', () => '/accounts', ['select account']],
  ['a service', () => `/services/${own.serviceId}`, ['select service', 'select service_change']],
  ['services', () => '/services', ['select service', 'select service_change']],
  ['an invoice', () => `/billing/invoices/${own.firstInvoice.id}`, ['select invoice', 'select invoice_tax', 'select invoice_line']],
  ['invoices', () => '/billing/invoices', ['select invoice', 'select invoice_tax', 'select invoice_line']],
  [
    'the catalog',
    () => '/services/catalog',
    // the last statement also reads the service levels and the features
    ['select catalog_category', 'select catalog_bandwidth'],
  ],
  [
    'fiber providers',
    () => '/connectivity/fiber/providers',
    ['select carrier_area', 'select carrier', 'select carrier_area', 'select coverage_area', 'select coverage_technology'],
  ],
  ['the coverage map', () => '/connectivity/fiber/coverage', ['select coverage_area', 'select coverage_technology']],
  [
    'the availability at a location',
    () => '/services/availability?zip=10118',
    // the first statement reads the area with its technologies
    ['select coverage_technology', 'select catalog_service', 'select carrier_area', 'select carrier'],
  ],
  ['agents', () => '/support/agents', ['select agent']],
  ['articles', () => '/support/kb', ['select article', 'select feedback']],
];

test.each(READS)('reading %s runs at most one SQL statement for each kind of record in the response', async (_, path, expected) => {
  expect(await statements('GET', path())).toEqual(expected);
});

test('updating an account runs one SQL statement to find the account and one to update it', async () => {
  expect(await statements('PUT', `/accounts/${own.accountId}`, { name: 'Renamed' })).toEqual(['select account', 'update account']);
});
