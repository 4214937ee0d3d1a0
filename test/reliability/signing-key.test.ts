import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { originOf, RunningProcess, runPlatform, temporaryFolder } from '../support/process.ts';
import { Tenant } from '../tenant.ts';

const TOOL = fileURLToPath(new URL('../../dist/apps/tools/rotate-signing-key.js', import.meta.url));
const USER = { BOOTSTRAP_EMAIL: 'admin@example.com', BOOTSTRAP_PASSWORD: 'a password of the test' };

const login = async (origin: string): Promise<string> => {
  const body = { email: USER.BOOTSTRAP_EMAIL, password: USER.BOOTSTRAP_PASSWORD };
  return (await new Tenant(origin, '', '').rest('POST', '/auth/login', { body })).body.data.access_token;
};
const verify = async (origin: string, token: string) => (await new Tenant(origin, '', token).rest('GET', '/auth/verify')).status;
const keysOf = async (origin: string): Promise<string[]> =>
  ((await (await fetch(`${origin}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);

test('an operator announces a new signing key, or ends the old ones with all their tokens', async () => {
  const data = temporaryFolder();
  let port = '0';
  const started = async () => {
    // tokens name the origin that they are for: the same each time
    const platform = runPlatform(['--port', port, '--data', data], USER);
    return { platform, origin: await originOf(platform) };
  };
  const stop = async ({ platform }: Awaited<ReturnType<typeof started>>) => {
    platform.kill('SIGTERM');
    await platform.exited;
  };
  const first = await started();
  port = new URL(first.origin).port;
  const token = await login(first.origin);
  const [present = ''] = await keysOf(first.origin);
  const refused = await new RunningProcess([TOOL, '--data', data]).exited;
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('in use')]);
  await stop(first);

  expect(await new RunningProcess([TOOL, '--data', data]).exited).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^key_\w+ signs from /),
  });
  const second = await started();
  const announced = await keysOf(second.origin);
  expect([announced.length, announced[0]]).toEqual([2, present]);
  expect(await verify(second.origin, token)).toBe(200);
  await stop(second);

  expect((await new RunningProcess([TOOL, '--data', data, '--at-once']).exited).code).toBe(0);
  const third = await started();
  const left = await keysOf(third.origin);
  expect(left).toHaveLength(1);
  for (const kid of announced) expect(left).not.toContain(kid);
  expect(await verify(third.origin, token)).toBe(401);
  expect(await verify(third.origin, await login(third.origin))).toBe(200);
  await stop(third);
}, 120_000);
