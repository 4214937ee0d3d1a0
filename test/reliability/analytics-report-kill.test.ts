import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { DAY_MS } from '../../kernel/values/days.ts';
import { eventually } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';
import { originOf, type RunningProcess, runPlatform, temporaryFolder } from '../support/process.ts';
import { type Json, Tenant } from '../tenant.ts';

const KEY = `sk_live_${'Test'.repeat(16)}`;
const DAYS = 150;
const TO = 'reports@example.com';
/** Longer than the time after which the job of a dead process is retried. */
const WAIT_MS = 150_000;

/** Two connections to the database: one that reads, and one that can block the figures of incidents. */
async function connections(connectionString: string) {
  const [reader, blocker] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
  for (const client of [reader, blocker]) {
    await client.connect();
    onTestFinished(() => client.end());
  }
  const attempts = async (): Promise<number> => (await reader.query('select attempts from monitoring.analytics_report')).rows[0]?.attempts;
  const mailJobs = async (): Promise<number> =>
    (await reader.query(`select count(*)::int as n from pgboss.job where name = 'monitoring.report-mail'`)).rows[0].n;
  return {
    attempts,
    mailJobs,
    block: () => blocker.query('begin; lock table monitoring.incident in access exclusive mode'),
    unblock: () => blocker.query('commit'),
  };
}

test.runIf(process.env.TEST_DATABASE_URL).each([
  ['is killed', 'SIGKILL'],
  ['stops for a while and then continues', 'SIGSTOP'],
] as const)(
  'a report whose process %s in the middle of the job is finished by another process, once, and one mail is sent',
  async (_, signal) => {
    const DATABASE_URL = (await ownDatabase()) ?? '';
    // the report is read while other connections of the domain wait for the lock
    const environment = {
      DATABASE_URL,
      BOOTSTRAP_API_KEY: KEY,
      SECRET_KEY: 'a secret for tests that is long enough',
      DATABASE_POOL_SIZE: '3',
    };
    const dataDir = temporaryFolder();
    const start = (): RunningProcess => runPlatform(['--data', dataDir, '--port', '0'], environment);
    const mails = (): string[] => {
      const folder = join(dataDir, 'mail');
      const files = existsSync(folder) ? readdirSync(folder) : [];
      return files.map((name) => readFileSync(join(folder, name), 'utf8')).filter((text) => text.includes(`To: ${TO}`));
    };
    const first = start();
    const tenant = new Tenant(await originOf(first), '', KEY);
    const database = await connections(DATABASE_URL);
    const end = Date.now();
    const body = {
      ...{ report_type: 'incidents', grouping: ['day'], delivery: { notification_email: TO } },
      date_range: { start: new Date(end - (DAYS - 1) * DAY_MS), end: new Date(end) },
    };
    const { id } = (await tenant.rest('POST', '/analytics/reports', { body })).body.data;
    const find = async (by: Tenant): Promise<Json> => (await by.rest('GET', `/analytics/reports/${id}`)).body.data;
    await eventually(async () => (await find(tenant)).progress > 5);
    await database.block();
    const begun = await find(tenant);
    expect(begun).toMatchObject({ status: 'generating', download_url: null });
    expect(await database.attempts()).toBe(1);
    const second = new Tenant(await originOf(start()), '', KEY);
    first.kill(signal);
    await database.unblock();

    const report = await eventually(async () => {
      const found = await find(second);
      return found.status !== 'generating' && found;
    }, WAIT_MS);
    expect(report).toMatchObject({ status: 'ready', rows: DAYS, progress: 100, error: null });
    expect(await database.attempts()).toBe(2);
    const text = await (await fetch(report.download_url)).text();
    expect(JSON.parse(text).rows).toHaveLength(DAYS);
    await eventually(() => mails().length > 0);
    if (signal === 'SIGSTOP') {
      first.kill('SIGCONT');
      // the first process works again, and finishes its own run of the job
      await eventually(async () => (await find(tenant)).status === 'ready');
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    }
    expect([mails().length, await database.mailJobs(), await database.attempts()]).toEqual([1, 1, 2]);
    expect(await find(second)).toEqual({ ...report, download_url: expect.any(String) });
    expect(await (await fetch(report.download_url)).json()).toMatchObject({ rows: JSON.parse(text).rows });
  },
  300_000,
);
