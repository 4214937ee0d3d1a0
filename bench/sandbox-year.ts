import { randomUUID } from 'node:crypto';
import { platformOn } from './platform.ts';
import { onScratch } from './scratch-database.ts';
import { scratchFolder } from './scratch-folder.ts';

export interface SandboxYearRow {
  name: string;
  /** Number of invoices that were issued during the advance of the clock. */
  invoices: number;
  payments: number;
  /** Seconds from the request to advance the clock until the advance has ended. */
  seconds: number;
  /** Processor time of the platform during the advance, in seconds. */
  cpuSeconds: number;
}

const ACCOUNTS = 100;
const SERVICES = 3;
/** Number of days between the starts of two services of an account, so that each service has its own invoices. */
const DAYS_BETWEEN = 7;
/** Number of days that the clock advances: a year, and one day for the work that is due at the end of the year. */
const YEAR_DAYS = 366;
const CLIENTS = 8;
const POLL_MS = 50;
const DAY_MS = 86_400_000;

/** Measurement (p): measures how long a sandbox takes to advance its clock by a year. All accounts pay automatically. No e-mail is sent. */
export const measureSandboxYear = (): Promise<SandboxYearRow[]> =>
  onScratch('bench_sandbox', async ({ BENCH_DATABASE_URL }) => {
    const { platform, domains, rows } = await platformOn(BENCH_DATABASE_URL, scratchFolder(), { SANDBOX: '1' });
    const { apiKey, organization } = await domains.identity.createOrganization({ name: 'Bench', plan: 'custom' });
    const count = async (table: 'invoice' | 'payment'): Promise<number> => {
      const text = `select count(*)::int as count from "billing"."${table}" where "organization_id" = $1`;
      return (await rows.query<{ count: number }>(text, [organization.id]))[0]?.count ?? 0;
    };
    const call: Call = async (method, path, body) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
      const response = await fetch(platform.origin + path, { method, headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
      return ((await response.json()) as { data: Answer }).data;
    };
    const clock = async (query: string): Promise<Clock> => {
      const [found] = Object.values(await call('POST', '/graphql', { query })) as unknown as [Clock];
      return found;
    };
    const advance = async (days: number): Promise<void> => {
      const to = new Date(new Date((await clock('{ sandboxClock { now status } }')).now).getTime() + days * DAY_MS).toISOString();
      await clock(`mutation { advanceSandboxClock(to: "${to}") { now status } }`);
      await until(async () => {
        const { now, status } = await clock('{ sandboxClock { now status } }');
        if (status === 'FAILED') throw new Error('The advance of the sandbox clock failed.');
        return now === to && status === 'READY';
      });
    };

    const accounts = await forEach(Array.from({ length: ACCOUNTS }), () => customer(call));
    for (let ordered = 1; ordered <= SERVICES; ordered += 1) {
      await forEach(accounts, (accountId) => call('POST', '/v1/connectivity/internet', { ...ORDER, account_id: accountId }));
      await until(async () => (await count('invoice')) >= ACCOUNTS * ordered);
      if (ordered < SERVICES) await advance(DAYS_BETWEEN);
    }
    const [invoices, payments] = [await count('invoice'), await count('payment')];
    const cpu = process.cpuUsage();
    const started = performance.now();
    await advance(YEAR_DAYS);
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const measured = {
      name: `${ACCOUNTS} customers with ${SERVICES} services`,
      invoices: (await count('invoice')) - invoices,
      payments: (await count('payment')) - payments,
      seconds: Number(seconds.toFixed(1)),
      cpuSeconds: Number(((user + system) / 1e6).toFixed(1)),
    };
    await platform.close();
    return [measured];
  });

type Answer = Record<string, string>;
type Call = (method: string, path: string, body: object) => Promise<Answer>;

interface Clock {
  now: string;
  status: string;
}

const ORDER = {
  ...{ service_type: 'fiber', bandwidth: '1000mbps' },
  location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
};

/** Creates an account with automatic payment. Returns its id. */
async function customer(call: Call): Promise<string> {
  const { id = '' } = await call('POST', '/v1/accounts', { name: 'Bench', email: 'it@bench.example' });
  const path = `/v1/billing/accounts/${id}`;
  const method = await call('POST', `${path}/payment-methods`, { card_token: 'tok_visa' });
  await call('PUT', `${path}/preferences`, { auto_pay: true, payment_method_id: method.payment_method_id });
  return id;
}

/** Calls `act` for each item. Several calls run at the same time. */
async function forEach<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const left = items.entries();
  const results: R[] = [];
  const client = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await act(item);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return results;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
