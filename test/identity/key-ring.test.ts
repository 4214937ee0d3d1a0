import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KeyRing } from '../../subgraphs/identity/tokens/key-ring.ts';
import { createIdentityRig, type IdentityRig } from '../security/identity-rig.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let rig: IdentityRig;
beforeAll(async () => {
  rig = await createIdentityRig();
});
afterAll(() => rig.close());

/** The key ring as a newly started process loads it. */
const ringNow = (): KeyRing => rig.startProcess().core.ring;
const kids = async (): Promise<string[]> => (await ringNow().published()).map(({ kid }) => kid);

test('a signing key is published one day before its use, used for 90 days and published for two more hours', async () => {
  const [first] = await kids();
  rig.clock.advance(89 * DAY_MS - HOUR_MS);
  expect(await kids()).toEqual([first]);

  rig.clock.advance(2 * HOUR_MS);
  const [signing, announced] = await kids();
  expect(signing).toBe(first);
  expect(announced).toBeDefined();
  expect((await ringNow().find(announced as string))?.kid).toBe(announced);
  rig.clock.advance(DAY_MS - HOUR_MS / 2);
  expect(await kids()).toEqual([first, announced]);

  rig.clock.advance(HOUR_MS);
  expect(await kids()).toEqual([announced, first]);
  rig.clock.advance(2 * HOUR_MS);
  expect(await kids()).toEqual([announced]);
  expect(await ringNow().find(first as string)).toBeUndefined();
});

test('four processes that need a new signing key at the same time create only one key', async () => {
  await kids();
  rig.clock.advance(90 * DAY_MS);
  const found = await Promise.all(Array.from({ length: 4 }, () => kids()));
  expect(new Set(found.map(String)).size).toBe(1);
  expect(found[0]).toHaveLength(2);
});

test('private signing keys are stored encrypted, and public keys contain no private parameters', async () => {
  const current = await ringNow().current();
  const stored = await rig.orm.em.getConnection().execute('select * from identity.signing_key');
  for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const) {
    expect(current.privateJwk[member]).toEqual(expect.any(String));
    expect(JSON.stringify(stored)).not.toContain(current.privateJwk[member] as string);
    expect(current.publicJwk).not.toHaveProperty(member);
  }
  expect(current.publicJwk).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig', kid: current.kid });
});
