import { expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { eventually } from '../rig.ts';
import { placeOrder } from '../services.setup.ts';
import { keptDatabase } from '../support/kept-database.ts';
import { originOf, type RunningProcess, runPlatform, temporaryFolder } from '../support/process.ts';
import { type Json, Tenant } from '../tenant.ts';

const KEY = `sk_live_${'Test'.repeat(16)}`;
const SECRET = { SECRET_KEY: 'a secret for tests that is long enough' };
const ACCOUNTS = 3;
/** Number of orders that the plan allows in an hour. */
const SERVICES = 50;
/** Shares of the first invoices after which a process is killed. The two processes are killed in turns. */
const KILLS_AT = [0.05, 0.3, 0.6];
/** Maximum random delay of a kill, so that it can hit any step of a transaction. */
const JITTER_MS = 100;
const WAIT_MS = 120_000;

test.runIf(process.env.TEST_DATABASE_URL)(
  'new services that two killed processes bill together have one first invoice each and count once in the recurring revenue',
  async () => {
    const { settings, sql } = await keptDatabase({ ...SECRET, BOOTSTRAP_API_KEY: KEY });
    const { DATABASE_URL = '' } = settings;
    const start = (): RunningProcess =>
      runPlatform(['--data', temporaryFolder(), '--port', '0'], { ...SECRET, DATABASE_URL, BOOTSTRAP_API_KEY: KEY });
    const tenantOf = async (platform: RunningProcess): Promise<Tenant> => new Tenant(await originOf(platform), '', KEY);
    const first = start();
    const tenant = await tenantOf(first);
    const accountIds: string[] = [];
    for (let made = 0; made < ACCOUNTS; made += 1) accountIds.push((await createAccount(tenant)).id);
    // the jobs of the reactions wait until all services are built, so that many of them are due at once
    await sql(`create function "pgboss"."later"() returns trigger language plpgsql as
      $$ begin new.start_after = new.start_after + interval '1 hour'; return new; end $$`);
    await sql(`create trigger "later" before insert on "pgboss"."job" for each row when (new.name like 'reaction/billing.%')
      execute function "pgboss"."later"()`);
    const order = async (index: number): Promise<string> => {
      const { status, body } = await placeOrder(tenant, accountIds[index % ACCOUNTS] as string);
      expect(status, JSON.stringify(body)).toBe(201);
      return body.data.id;
    };
    const ids = await Promise.all(Array.from({ length: SERVICES }, (_, index) => order(index)));
    const waiting = () => sql(`select from "pgboss"."job" where "name" = 'reaction/billing.first-invoice' and "state" = 'created'`);
    await eventually(async () => (await waiting()).length === SERVICES, WAIT_MS);
    first.kill('SIGKILL');
    await first.exited;
    await sql('drop trigger "later" on "pgboss"."job"');

    const invoices = () => sql<{ number: string }>('select "number" from "billing"."invoice"');
    const processes = [start(), start()];
    await Promise.all(processes.map(originOf));
    await sql(`update "pgboss"."job" set "start_after" = now() where "name" like 'reaction/billing.%' and "state" = 'created'`);
    const killed: Json[] = [];
    for (const [turn, share] of KILLS_AT.entries()) {
      await eventually(async () => (await invoices()).length > share * SERVICES, WAIT_MS);
      const delay = Math.round(Math.random() * JITTER_MS);
      await new Promise((resolve) => setTimeout(resolve, delay));
      const platform = processes[turn % 2] as RunningProcess;
      platform.kill('SIGKILL');
      await platform.exited;
      // otherwise the jobs of the killed process wait for a minute; jobs of the other process now run twice at the same time
      await sql(
        `update "pgboss"."job" set "state" = 'retry', "start_after" = now() where "name" like 'reaction/billing.%' and "state" = 'active'`,
      );
      killed.push({ delay, invoices: (await invoices()).length });
      processes[turn % 2] = start();
    }
    const context = JSON.stringify(killed);
    const unfinished = () => sql(`select from "pgboss"."job" where "name" like 'reaction/billing.%' and "state" <> 'completed'`);
    await eventually(async () => (await unfinished()).length === 0, WAIT_MS);

    const numbers = (await invoices()).map(({ number }) => Number(number.slice(4))).sort((one, other) => one - other);
    expect(numbers, context).toEqual(Array.from({ length: SERVICES }, (_, index) => 1001 + index));
    const lines = await sql<{ service_id: string; kind: string; count: number }>(
      `select "service_id", "kind", count(*)::int as "count" from "billing"."invoice_line" where "kind" = 'recurring' group by 1, 2`,
    );
    expect(new Set(lines.map(({ service_id: id }) => id)), context).toEqual(new Set(ids));
    expect(new Set(lines.map(({ count }) => count)), context).toEqual(new Set([1]));
    const [recurring] = await sql<{ services: number; same: boolean }>(
      `select count(*)::int as "services", sum("monthly") = (select sum("added") from "billing"."recurring_day" where "account_id" <> '') as "same"
       from "billing"."recurring_service"`,
    );
    expect(recurring, context).toEqual({ services: SERVICES, same: true });
    const { data } = await (await tenantOf(processes[0] as RunningProcess)).graphql(
      '{ ledgerAudit { differences { accountId ledgerAccount posted recorded } } }',
    );
    expect(data.ledgerAudit, context).toEqual({ differences: [] });
  },
  400_000,
);
