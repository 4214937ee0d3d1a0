import { Agent, get } from 'node:http';
import type { Rows } from '../kernel/database/database.ts';
import { percentile } from './monitoring-process.ts';
import { platformOn } from './platform.ts';
import { onScratch } from './scratch-database.ts';
import { scratchFolder } from './scratch-folder.ts';

export interface ServiceListRow {
  name: string;
  services: number;
  p50Ms: number;
  p99Ms: number;
  /** `p99Ms` divided by the `p99Ms` of the smallest organization. */
  ratio: number;
}

const SIZES = [100, 10_000];
/** Number of measured requests of each case for each organization. */
const REQUESTS = 1_000;
const WARM_UP = 100;
const CONNECTIONS = 2;
const ACCOUNTS = 20;

/** Request path of each measured case, without `/v1`. Even the smallest organization has enough matches to fill each page. */
const CASES: Record<string, string> = {
  'list, newest first': '/services?limit=20',
  'list, last page': '/services?limit=20&page=5',
  'list by price': '/services?limit=20&sort=monthly_price:desc',
  'of a status': '/services?limit=10&status=down',
  'of two statuses and a kind': '/services?limit=10&status=operational&status=degraded&type=internet',
  'of an account': '/services?limit=5&account_id=acc_bench_7',
  'of a category': '/services?limit=20&category=voice',
  'of a priority': '/services?limit=10&priority=medium',
  'ordered before a time': `/services?limit=20&date_to=${new Date(Date.now() - 50 * 60_000).toISOString()}`,
  'words: part of a name': '/services?limit=10&search=line%201',
  'words: a city': '/services?limit=10&location=Albany',
  'summary of 30 days': '/services/analytics/summary?period=last_30_days',
};

/** Measurement (l): reads lists and the summary of services for two organizations that differ only in their number of services. */
export const measureServiceLists = (): Promise<ServiceListRow[]> =>
  onScratch('bench_services', async ({ BENCH_DATABASE_URL }) => {
    const { platform, domains, rows } = await platformOn(BENCH_DATABASE_URL, scratchFolder());
    const keys: string[] = [];
    for (const size of SIZES) {
      const { organization, apiKey } = await domains.identity.createOrganization({ name: `${size} services`, plan: 'custom' });
      await seed(rows, organization.id, size);
      keys.push(apiKey);
    }
    // in production, autovacuum does this
    await rows.query('vacuum analyze', []);
    const measured: ServiceListRow[] = [];
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    for (const [name, path] of Object.entries(CASES)) {
      const url = `${platform.origin}/v1${path}`;
      await timesOf(agent, url, keys, WARM_UP);
      const times = await timesOf(agent, url, keys, REQUESTS);
      const p99s = times.map((of) => percentile(of, 0.99));
      for (const [index, services] of SIZES.entries())
        measured.push({
          name,
          services,
          p50Ms: percentile(times[index] ?? [], 0.5),
          p99Ms: p99s[index] ?? 0,
          ratio: Number(((p99s[index] ?? 0) / (p99s[0] ?? 0)).toFixed(2)),
        });
    }
    agent.destroy();
    await platform.close();
    return measured;
  });

/** Returns the response times for each key, in milliseconds. Each connection sends the request with each key in turn, so that all have the same conditions. */
async function timesOf(agent: Agent, url: string, keys: readonly string[], requests: number): Promise<number[][]> {
  const times = keys.map((): number[] => []);
  const sendAll = async (): Promise<void> => {
    for (let sent = 0; sent < requests / CONNECTIONS; sent += 1)
      for (const [index, key] of keys.entries()) times[index]?.push(await timeOf(agent, url, key));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendAll));
  return times;
}

function timeOf(agent: Agent, url: string, apiKey: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { authorization: `Bearer ${apiKey}` } }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - began);
        else reject(new Error(`${url}: status ${response.statusCode}.`));
      });
    });
    request.on('error', reject);
  });
}

/** Stores services with their status history and 30 days of traffic. The services are not due to be measured. */
async function seed(rows: Rows, organizationId: string, size: number): Promise<void> {
  const id = `'svc_${organizationId}_' || lpad(n::text, 8, '0')`;
  await rows.query(
    `do $$ begin
      insert into "services"."service" ("id", "organization_id", "account_id", "type", "service_type", "catalog_id", "name", "status", "bandwidth_mbps",
          "location", "sla", "billing_cycle", "monthly_price", "currency", "configuration", "features", "price_lines", "provisioned_at", "created_at", "updated_at")
        select ${id}, '${organizationId}', 'acc_bench_' || n % ${ACCOUNTS}, case when n % 3 = 0 then 'sip_trunk' else 'internet' end,
          case when n % 3 = 0 then 'sip_trunk' else 'fiber' end, case when n % 3 = 0 then 'sip_trunking' else 'business_fiber' end,
          'Line ' || n % 7 || n % 9 || ' of floor ' || n, case when n % 10 = 0 then 'down' when n % 17 = 0 then 'degraded' else 'operational' end,
          case when n % 3 = 0 then null else 100 * (1 + n % 10) end,
          json_build_object('address', n || ' State Street', 'city', case when n % 10 = 3 then 'Albany' else 'New York' end, 'state', 'NY', 'zip', lpad((n * 7919 % 100000)::text, 5, '0')),
          case when n % 4 = 0 then 'business' else 'standard' end, 'monthly', 100 + n % 977, 'USD', '{}', '[]', '[]', now() - interval '90 days', now() - n * interval '1 minute', now()
        from generate_series(1, ${size}) n;
      update "services"."service_measurement" set "due_at" = now() + interval '1 day' where "organization_id" = '${organizationId}';
    end $$`,
    [],
  );
  await rows.query(
    `insert into "services"."service_status_change" ("id", "organization_id", "service_id", "from", "to", "created_at")
     select 'chg_' || s."id" || '_' || n, s."organization_id", s."id", case when n % 2 = 0 then 'operational' else 'down' end,
       case when n % 2 = 0 then 'down' when n = 1 then 'operational' else s."status" end, now() - interval '25 days' + n * interval '1 hour'
     from "services"."service" s, generate_series(0, 3) n where s."organization_id" = $1`,
    [organizationId],
  );
  await rows.query(
    `insert into "services"."service_sample_day" ("organization_id", "service_id", "day", "samples", "transferred_bytes")
     select s."organization_id", s."id", current_date - n, 288, 1000000000 + n
     from "services"."service" s, generate_series(0, 29) n where s."organization_id" = $1`,
    [organizationId],
  );
}
