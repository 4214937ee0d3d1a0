import { expect, test } from 'vitest';
import { createAccount, orderService } from '../billing.setup.ts';
import { eventually } from '../rig.ts';
import { keptDatabase } from '../support/kept-database.ts';
import { originOf, type RunningProcess, runPlatform, temporaryFolder } from '../support/process.ts';
import { type Json, Tenant } from '../tenant.ts';

const KEY = `sk_live_${'Test'.repeat(16)}`;
const SECRET = { SECRET_KEY: 'a secret for tests that is long enough' };
const COUNT = 1000;
/** Shares of the billing run after which a process is killed. The two processes are killed in turns. */
const KILLS_AT = [0.1, 0.35, 0.6];
/** Maximum random delay of a kill, so that it can hit any step of a transaction. */
const JITTER_MS = 150;
const WAIT_MS = 120_000;

/** Copies of the account and its subscription. Ids that the copies must not share get a suffix. */
const copies = (table: string, ids: string[], where = 'true'): string =>
  `insert into ${table} select (jsonb_populate_record(r, copied.fields)).* from ${table} r, generate_series(1, ${COUNT - 1}) n,
     lateral (select jsonb_object_agg(key, value || 'x' || n) as fields from jsonb_each_text(to_jsonb(r))
       where key in (${ids.map((id) => `'${id}'`).join()})) copied where ${where}`;

test.runIf(process.env.TEST_DATABASE_URL)(
  'billing 1,000 subscriptions in two processes that are killed creates 1,000 invoices with consecutive numbers',
  async () => {
    const { settings, sql } = await keptDatabase({ ...SECRET, BOOTSTRAP_API_KEY: KEY });
    const { DATABASE_URL = '' } = settings;
    const environment = { ...SECRET, DATABASE_URL, BOOTSTRAP_API_KEY: KEY };
    const start = (): RunningProcess => runPlatform(['--data', temporaryFolder(), '--port', '0'], environment);
    const tenantOf = async (platform: RunningProcess): Promise<Tenant> => new Tenant(await originOf(platform), '', KEY);
    const first = start();
    const { id: accountId } = await createAccount(await tenantOf(first));
    await orderService(await tenantOf(first), accountId);
    first.kill('SIGKILL');
    await first.exited;

    await sql(copies('"identity"."account"', ['id', 'customer_id'], `r."id" = '${accountId}'`));
    await sql(copies('"billing"."subscription"', ['id', 'account_id']));
    await sql(copies('"billing"."subscription_item"', ['id', 'account_id', 'subscription_id', 'service_id']));
    await sql(`update "billing"."subscription_item" set "billed_until" = now() - interval '1 hour'`);
    await sql(`update "billing"."subscription" set "bill_due_at" = now() - interval '1 hour'`);

    const numbers = async (): Promise<number[]> =>
      (await sql<{ number: string }>(`select "number" from "billing"."invoice"`))
        .map(({ number }) => Number(number.slice(4)))
        .sort((a, b) => a - b);
    const processes = [start(), start()];
    await Promise.all(processes.map(originOf));
    const killed: Json[] = [];
    for (const [turn, share] of KILLS_AT.entries()) {
      await eventually(async () => (await numbers()).length > share * COUNT, WAIT_MS);
      const delay = Math.round(Math.random() * JITTER_MS);
      await new Promise((resolve) => setTimeout(resolve, delay));
      const platform = processes[turn % 2] as RunningProcess;
      platform.kill('SIGKILL');
      await platform.exited;
      killed.push({ delay, invoices: (await numbers()).length });
      processes[turn % 2] = start();
    }
    const context = JSON.stringify(killed);
    await eventually(async () => (await numbers()).length > COUNT, WAIT_MS);
    await eventually(async () => (await sql(`select 1 from "billing"."subscription" where "bill_due_at" <= now()`)).length === 0, WAIT_MS);
    expect(await numbers(), context).toEqual(Array.from({ length: COUNT + 1 }, (_, index) => 1001 + index));
    const services = await sql(`select "item_id", "from_at" from "billing"."subscription_charge" where "invoice_id" is not null`);
    expect(new Set(services.map((row) => JSON.stringify(row))).size, context).toBe(COUNT + 1);
    const tenant = await tenantOf(processes[0] as RunningProcess);
    const { data } = await tenant.graphql('{ ledgerAudit { differences { accountId ledgerAccount posted recorded } } }');
    expect(data.ledgerAudit, context).toEqual({ differences: [] });
    // otherwise no kill hit the run
    expect(killed[0]?.invoices, context).toBeLessThan(COUNT);
  },
  400_000,
);
