import autocannon from 'autocannon';
import pg from 'pg';
import { seedInvoices } from './billing-seed.ts';
import { platformOn } from './platform.ts';
import { onScratch } from './scratch-database.ts';
import { scratchFolder } from './scratch-folder.ts';

export interface GrowthRow {
  name: string;
  invoices: number;
  p50Ms: number;
  p99Ms: number;
  /** 99th percentile of the response time, divided by the 99th percentile of the smallest organization. */
  ratio: number;
}

const SIZES = [10_000, 1_000_000];
const ROUNDS = 5;
const REQUESTS = 200;
const CONNECTIONS = 2;
const SAMPLES = 100;

/** An organization with a given number of invoices. */
interface Company {
  size: number;
  apiKey: string;
  invoices: string[];
  /** Customers with about the same number of invoices in organizations of every size. */
  accounts: string[];
  /** The customer with a tenth of all invoices of the organization. */
  largest: string;
}

const almostAll = (): string => new Date(Date.now() - 700.5 * 86_400_000).toISOString();
const recent = (): string => new Date(Date.now() - 30 * 86_400_000).toISOString();
const one = (values: readonly string[], turn: number): string => values[turn % values.length] ?? '';

/** Request path of each measured read, without `/v1/billing`. */
const CASES: Record<string, (company: Company, turn: number) => string> = {
  'invoices, newest first': () => '/invoices?limit=50',
  'invoices, page 20': () => '/invoices?limit=50&page=20',
  'invoices, pending or overdue': () => '/invoices?limit=50&status=pending,overdue',
  'invoices of 30 days, paid': () => `/invoices?limit=50&status=paid&date_from=${recent()}`,
  'invoices of two years': () => `/invoices?limit=50&date_from=${almostAll()}`,
  'invoices of a customer': ({ accounts }, turn) => `/invoices?limit=50&account_id=${one(accounts, turn)}`,
  'invoices of the largest customer, paid': ({ largest }) => `/invoices?limit=50&account_id=${largest}&status=paid`,
  'payments, newest first': () => '/payments?limit=50',
  'payments, failed': () => '/payments?limit=50&status=failed',
  'payments of a customer': ({ accounts }, turn) => `/payments?limit=50&account_id=${one(accounts, turn)}`,
  'one invoice': ({ invoices }, turn) => `/invoices/${one(invoices, turn)}`,
  'billing account of a customer': ({ accounts }, turn) => `/accounts/${one(accounts, turn)}`,
  'billing account of the largest customer': ({ largest }) => `/accounts/${largest}`,
  'usage report': () => '/usage?period=current_year',
  'cost analysis': () => '/cost-analysis',
  'cost analysis of a customer': ({ accounts }, turn) => `/cost-analysis?account_id=${one(accounts, turn)}`,
};

/** Measurement (r): reads billing records of two organizations that differ only in their number of invoices and customers. */
export const measureGrowth = (): Promise<GrowthRow[]> =>
  onScratch('bench_billing', async ({ BENCH_DATABASE_URL }) => {
    const { platform, domains } = await platformOn(BENCH_DATABASE_URL, scratchFolder());
    const client = new pg.Client({ connectionString: BENCH_DATABASE_URL });
    await client.connect();
    // after a failure, the database is dropped while the client is connected
    client.on('error', () => undefined);
    const companies: Company[] = [];
    for (const size of SIZES) {
      const { organization, apiKey } = await domains.identity.createOrganization({ name: `Company of ${size}`, plan: 'custom' });
      await seedInvoices(client, organization.id, size);
      companies.push({ size, apiKey, ...(await samplesOf(client, organization.id)) });
    }
    await client.query('vacuum analyze');
    const measured = new Map<string, autocannon.Result[]>();
    // rounds are interleaved, so that both sizes run under the same conditions
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const [name, path] of Object.entries(CASES))
        for (const company of companies) {
          const result = await load(platform.origin, company, path);
          const key = `${name} ${company.size}`;
          // the first round is not counted: it fills caches
          if (round > 0) measured.set(key, [...(measured.get(key) ?? []), result]);
        }
    await client.end();
    await platform.close();
    const medianOf = (name: string, { size }: Company, of: (latency: autocannon.Result['latency']) => number): number =>
      (measured.get(`${name} ${size}`) ?? []).map(({ latency }) => of(latency)).sort((a, b) => a - b)[ROUNDS >> 1] ?? 0;
    return Object.keys(CASES).flatMap((name) => {
      const p99s = companies.map((company) => medianOf(name, company, ({ p99 }) => p99));
      return companies.map((company, index) => ({
        name,
        invoices: company.size,
        p50Ms: medianOf(name, company, ({ p50 }) => p50),
        p99Ms: p99s[index] ?? 0,
        ratio: Number(((p99s[index] ?? 0) / (p99s[0] || 1)).toFixed(2)),
      }));
    });
  });

async function samplesOf(client: pg.Client, organizationId: string): Promise<Pick<Company, 'invoices' | 'accounts' | 'largest'>> {
  const invoices = await client.query<{ id: string }>('select "id" from "billing"."invoice" where "organization_id" = $1 limit $2', [
    organizationId,
    SAMPLES,
  ]);
  const accounts = await client.query<{ id: string; is_largest: boolean }>(
    `select "account_id" as "id", count(*) > 500 as "is_largest" from "billing"."invoice" where "organization_id" = $1
     group by 1 order by count(*) desc limit $2`,
    [organizationId, SAMPLES],
  );
  return {
    invoices: invoices.rows.map(({ id }) => id),
    accounts: accounts.rows.flatMap(({ id, is_largest: isLargest }) => (isLargest ? [] : [id])),
    largest: accounts.rows[0]?.id ?? '',
  };
}

async function load(origin: string, company: Company, path: (typeof CASES)[string]): Promise<autocannon.Result> {
  let turn = 0;
  const headers = { authorization: `Bearer ${company.apiKey}` };
  const next = (): string => `/v1/billing${path(company, turn++)}`;
  const setupRequest = (request: autocannon.Request): autocannon.Request => ({ ...request, path: next(), headers });
  const result = await autocannon({ url: origin, connections: CONNECTIONS, amount: REQUESTS, requests: [{ setupRequest }] });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${next()}: ${result.non2xx} refusals, ${result.errors} failures.`);
  return result;
}
