import { expect, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { start } from '../rig.ts';
import { lastingPort } from '../support/port.ts';
import { programOf, RunningProcess, temporaryFolder } from '../support/process.ts';
import { Tenant } from '../tenant.ts';

const TOOL = programOf('rotate-signing-key');
const USER = { BOOTSTRAP_EMAIL: 'admin@example.com', BOOTSTRAP_PASSWORD: 'a password of the test' };

const login = async (origin: string): Promise<string> => {
  const body = { email: USER.BOOTSTRAP_EMAIL, password: USER.BOOTSTRAP_PASSWORD };
  return (await new Tenant(origin, '', '').rest('POST', '/auth/login', { body })).body.data.access_token;
};
const verify = async (origin: string, token: string) => (await new Tenant(origin, '', token).rest('GET', '/auth/verify')).status;
const keysOf = async (origin: string): Promise<string[]> =>
  ((await (await fetch(`${origin}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);

/** The tool and the platform use the embedded database in every test mode. */
const SETTINGS = { DATABASE_URL: '', SECRET_KEY: 'a secret for tests that is long enough' };
/** Starts a platform with the current time, because the tool uses the current time too. */
const started = (settings: Record<string, string>) => start(settings, new TestClock());
const rotate = (data: string, ...more: string[]) => new RunningProcess([TOOL, '--data', data, ...more], SETTINGS).exited;

test('the key tool announces a new signing key, and with --at-once removes old keys and invalidates their tokens', async () => {
  const data = temporaryFolder();
  // tokens contain the origin of the platform, so the port must not change
  const settings = { ...SETTINGS, ...USER, DATA_DIR: data, PORT: String(await lastingPort()) };
  const first = await started(settings);
  const { origin } = first;
  const token = await login(origin);
  const [present = ''] = await keysOf(origin);
  const refused = await rotate(data);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('in use')]);
  await first.close();

  expect(await rotate(data)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^key_\w+ signs tokens from /) });
  const second = await started(settings);
  const announced = await keysOf(origin);
  expect([announced.length, announced[0]]).toEqual([2, present]);
  expect(await verify(origin, token)).toBe(200);
  await second.close();

  expect((await rotate(data, '--at-once')).code).toBe(0);
  const third = await started(settings);
  const left = await keysOf(origin);
  expect(left).toHaveLength(1);
  for (const kid of announced) expect(left).not.toContain(kid);
  expect(await verify(origin, token)).toBe(401);
  expect(await verify(origin, await login(origin))).toBe(200);
  await third.close();
}, 120_000);
