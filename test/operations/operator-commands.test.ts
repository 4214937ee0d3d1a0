import { expect, onTestFinished, test, vi } from 'vitest';
import { operate } from '../../apps/tools/operator.tool.ts';
import { resetAdmin } from '../../apps/tools/reset-admin.tool.ts';
import { TestClock } from '../../kernel/clock.ts';
import { FolderFiles } from '../../kernel/files/files.ts';
import { eventually, type Rig, start } from '../rig.ts';
import { programOf, RunningProcess, temporaryFolder } from '../support/process.ts';
import { runInProcess } from '../support/tool.ts';
import { Tenant } from '../tenant.ts';

const RESET = programOf('reset-admin');
const OPERATOR = programOf('operator');
/** An empty DATABASE_URL selects the embedded database, even if the other tests use PostgreSQL. */
const SETTINGS = { DATABASE_URL: '', SECRET_KEY: 'a secret for tests that is long enough' };
const USER = { BOOTSTRAP_EMAIL: 'admin@example.com', BOOTSTRAP_PASSWORD: 'a password of the test' };

/** Returns a function that runs operator commands on a data folder. */
const operatorOf =
  (data: string) =>
  (...args: string[]) =>
    runInProcess(operate, [...args, '--data', data], SETTINGS);

test('npm run operator creates, lists, exports, closes and resumes organizations on the server', async () => {
  const data = temporaryFolder();
  const asProcess = (...args: string[]) => new RunningProcess([OPERATOR, ...args, '--data', data], SETTINGS).exited;
  const run = operatorOf(data);
  const first = await start({ ...SETTINGS, ...USER, DATA_DIR: data }, new TestClock());
  const inUse = await asProcess('list');
  expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringContaining('in use')]);
  await first.close();

  const made = await asProcess(
    'create',
    '--name',
    'Acme',
    '--plan',
    'business',
    '--admin-name',
    'Ada',
    '--admin-email',
    'ada@example.com',
    '--json',
  );
  expect([made.code, made.stderr]).toEqual([0, '']);
  const { id } = JSON.parse(made.stdout) as { id: string };
  expect((await run('plan', id, 'enterprise')).stdout).toMatch(/plan +ENTERPRISE/);
  expect((await run('list', '--plan', 'enterprise', '--search', 'acme')).stdout).toBe(`${id}  enterprise  active     Acme\n`);
  expect((await run('export', id)).stdout).toMatch(/status +WRITING/);
  expect((await run('close', id, '--reason', 'The contract has ended')).stdout).toMatch(/status +CLOSED/);
  // invitations are not sent while an organization is closed
  expect((await run('resume', id)).stdout).toMatch(/status +ACTIVE/);
  expect(await run('export-status', 'org_none')).toMatchObject({ code: 1, stderr: 'There is no organization org_none.\n' });
  expect(await run('plan', 'org_none', 'enterprise')).toMatchObject({ code: 1, stderr: 'There is no organization org_none.\n' });
  expect(await run('revoke', USER.BOOTSTRAP_EMAIL)).toMatchObject({ code: 0, stdout: expect.stringMatching(/: none\n$/) });

  const second = await start({ ...SETTINGS, DATA_DIR: data }, new TestClock());
  // the platform runs the job that the create command enqueued
  await eventually(() => second.mails.length > 0);
  expect(second.mails.map(({ to }) => to)).toEqual(['ada@example.com']);
  const { body } = await new Tenant(second.origin, '', '').rest('POST', '/auth/login', {
    body: { email: USER.BOOTSTRAP_EMAIL, password: USER.BOOTSTRAP_PASSWORD },
  });
  const user = new Tenant(second.origin, '', body.data.access_token);
  expect((await user.rest('GET', '/operator/organizations')).status).toBe(403);
  const { body: audit } = await user.rest('GET', '/auth/audit?event_type=organization_plan_changed');
  expect(audit.data[0]).toMatchObject({ client_id: 'npm run operator', reason: expect.stringContaining(`organization ${id}`) });
  await second.close();
}, 180_000);

test('npm run operator shows why an organization export failed, and can start this export again', async () => {
  const data = temporaryFolder();
  const run = operatorOf(data);
  const first = await start({ ...SETTINGS, ...USER, DATA_DIR: data }, new TestClock());
  const { organizationId: id } = await first.organization();
  await first.close();
  await run('export', id);
  const put = vi.spyOn(FolderFiles.prototype, 'put').mockRejectedValue(new Error('/mnt/files is full'));
  onTestFinished(() => put.mockRestore());
  const failing = await start({ ...SETTINGS, DATA_DIR: data }, new TestClock());
  const statusIs = (platform: Rig, status: string) => async () => {
    await platform.advance(600_000);
    const found = await platform.assembly.domains.identity.core.ports.rows.query(
      'select 1 from "identity"."organization_export" where "organization_id" = $1 and "status" = $2',
      [id, status],
    );
    return found.length === 1;
  };
  await eventually(statusIs(failing, 'failed'));
  await failing.close();
  put.mockRestore();

  const shown = await run('export-status', id);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^status +FAILED$/m) });
  expect(shown.stdout).toMatch(/^error +A part of the archive could not be written in 10 attempts; .* Request the export again\.$/m);
  expect((await run('export', id)).stdout).toMatch(/status +WRITING/);
  const repaired = await start({ ...SETTINGS, DATA_DIR: data }, new TestClock());
  await eventually(statusIs(repaired, 'ready'));
  await repaired.close();
  expect((await run('export-status', id)).stdout).toMatch(/^status +READY$/m);
}, 180_000);

test('npm run operator --help lists the commands, and an invalid command exits with code 1 and prints one error line', async () => {
  const help = await runInProcess(operate, ['--help'], SETTINGS);
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('plan ORGANIZATION PLAN') });
  for (const [args, says] of [
    [['frob'], 'There is no command frob.'],
    [['plan', 'org_1'], 'plan takes 2 arguments.'],
    [['list', '--frob'], "Unknown option '--frob'."],
  ] as const) {
    const { code, stderr } = await runInProcess(operate, args, SETTINGS);
    expect([code, stderr]).toEqual([1, `${says} See npm run operator -- --help.\n`]);
  }
});

test('npm run reset-admin sets a new password, revokes the sessions of the user and removes second factors', async () => {
  const data = temporaryFolder();
  const first = await start({ ...SETTINGS, ...USER, DATA_DIR: data }, new TestClock());
  const login = async (origin: string, password: string) =>
    new Tenant(origin, '', '').rest('POST', '/auth/login', { body: { email: USER.BOOTSTRAP_EMAIL, password } });
  const { body } = await login(first.origin, USER.BOOTSTRAP_PASSWORD);
  const user = new Tenant(first.origin, '', body.data.access_token);
  expect((await user.rest('POST', '/auth/mfa/totp/setup')).status).toBe(201);
  await first.close();

  const missing = await runInProcess(resetAdmin, ['nobody@example.com', '--data', data], SETTINGS);
  expect(missing).toMatchObject({ code: 1, stderr: 'There is no user nobody@example.com.\n' });
  const { stdout, code } = await new RunningProcess([RESET, USER.BOOTSTRAP_EMAIL, '--data', data], SETTINGS).exited;
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^User +admin@example\.com\nOrganization +org_\w+\nPassword +\S{24}\n$/)]);

  const second = await start({ ...SETTINGS, DATA_DIR: data }, new TestClock());
  expect((await login(second.origin, USER.BOOTSTRAP_PASSWORD)).status).toBe(401);
  const again = await login(second.origin, /Password +(\S+)/.exec(stdout)?.[1] ?? '');
  expect(again.status).toBe(200);
  const present = new Tenant(second.origin, '', again.body.data.access_token);
  expect((await present.rest('GET', '/auth/mfa/methods')).body.data).toEqual([]);
  expect((await present.rest('GET', '/auth/audit?event_type=password_reset')).body.data).toMatchObject([
    { reason: 'on the server; second factors removed' },
  ]);
  expect((await new Tenant(second.origin, '', user.apiKey).rest('GET', '/auth/verify')).status).toBe(401);
  await second.close();
}, 120_000);
