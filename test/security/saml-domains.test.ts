import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig, start } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json } from '../tenant.ts';
import { userOf } from '../users.setup.ts';
import { SamlWorld, verifyDomains } from './saml-idp.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

let world: SamlWorld;
beforeEach(async () => {
  world = await SamlWorld.open();
});

/** Runs the domain check that normally runs every minute. */
const checkDomains = async (): Promise<void> => (await rig()).assembly.domains.identity.core.saml.domainCheckTask.run();
const nameOf = (domain = world.domain): string => `_saml-verification.${domain}`;
const statusOf = async (of = world): Promise<Json> =>
  (await of.tenant.rest('GET', `/auth/saml-connections/${of.connection.id}`)).body.data.domains[0];
const mailsTo = (email: string, subject: RegExp) => platform.mails.filter((mail) => mail.to === email && subject.test(mail.subject));
/** A second organization that claims the domain of `world` and has published no TXT record for it. */
async function claimant(): Promise<SamlWorld> {
  const other = await SamlWorld.open();
  platform.dns.delete(nameOf(other.domain));
  await other.update({ email_domains: [world.domain] });
  return other;
}

describe('claimed email domain', () => {
  test('single sign-on for a claimed email domain returns 404 or 401 until its TXT record is published and verified', async () => {
    platform.dns.delete(nameOf());
    const own = await SamlWorld.open({ allow_idp_initiated: true });
    platform.dns.delete(nameOf(own.domain));
    await own.tenant.rest('DELETE', `/auth/saml-connections/${own.connection.id}`);
    const created = await own.tenant.rest('POST', '/auth/saml-connections', { body: { ...own.input(), allow_idp_initiated: true } });
    own.connection = created.body.data;
    expect(created.body.data.domains).toEqual([
      {
        domain: own.domain,
        status: 'claimed',
        txt_name: nameOf(own.domain),
        txt_value: expect.stringMatching(/^saml-domain-verification=[0-9a-f]{40}$/),
        proven_at: null,
        problem: 'its TXT record was not found',
        works_until: null,
      },
    ]);
    await own.user('MEMBER', own.address('invited'));
    const tries = async () => [
      (await own.begin({ email: own.address() })).status,
      (await own.signIn({ email: own.address('invited') })).status,
      (await own.signIn({ email: own.address('unknown') })).status,
      (await own.deliver(await own.respond())).status,
    ];
    // the identity provider needs the metadata of the new connection for its responses
    await own.readMetadata();
    expect(await tries()).toEqual([404, 401, 401, 401]);
    expect((await own.audited())[0].reason).toContain('is not proven');
    const { data } = await own.tenant.graphql('{ users { nodes { email status } } }');
    expect(data.users.nodes).toEqual([{ email: own.address('invited'), status: 'INVITED' }]);

    expect(await verifyDomains(own.tenant, own.connection.id)).toMatchObject([
      { status: 'CLAIMED', problem: expect.stringContaining('not found') },
    ]);
    await own.prove();
    expect(await tries()).toEqual([302, 200, 200, 200]);
    expect((await own.audited()).map(({ event_type }) => event_type)).toContain('saml_domain_proven');
  });

  test('the periodic check verifies a claimed email domain within five minutes after its TXT record is published', async () => {
    const other = await claimant();
    await checkDomains();
    expect((await statusOf(other)).status).toBe('claimed');
    platform.dns.set(nameOf(), [(await statusOf(other)).txt_value]);
    await platform.advance(5 * 60_000);
    await checkDomains();
    expect(await statusOf(other)).toMatchObject({ status: 'proven', problem: null });
  });

  test('a TXT record of another organization, a subdomain or a parent domain does not verify a claimed email domain', async () => {
    const other = await claimant();
    const below = `sub.${world.domain}`;
    const above = await SamlWorld.open({ email_domains: [below] });
    platform.dns.delete(nameOf(below));
    expect(await verifyDomains(other.tenant, other.connection.id)).toMatchObject([{ status: 'CLAIMED' }]);
    // the claimant's own record under wrong names
    const { txt_value: value } = await statusOf(other);
    platform.dns.set(world.domain, [value]);
    platform.dns.set(nameOf(below), [value]);
    expect(await verifyDomains(other.tenant, other.connection.id)).toMatchObject([{ status: 'CLAIMED' }]);
    expect((await above.begin({ email: `a@${world.domain}` })).location).toContain(world.ssoUrl);
    expect((await world.begin({ email: `a@other.${world.domain}` })).status).toBe(404);
  });

  test('an email domain stays unverified while DNS fails, and the domain shows a problem that DNS could not be queried', async () => {
    const other = await claimant();
    platform.dns.set(nameOf(), Object.assign(new Error('queryTxt ETIMEOUT'), { code: 'ETIMEOUT' }));
    const [domain] = await verifyDomains(other.tenant, other.connection.id);
    expect(domain).toMatchObject({ status: 'CLAIMED', problem: expect.stringContaining('DNS could not be queried') });
  });

  test("verifying the email domains of another organization's SAML connection returns RESOURCE_NOT_FOUND", async () => {
    const stranger = await platform.organization();
    await expect(verifyDomains(stranger, world.connection.id)).rejects.toThrow('RESOURCE_NOT_FOUND');
  });
});

describe('two organizations claiming one domain', () => {
  test("a verified email domain moves to a second organization only after the first organization's TXT record is replaced", async () => {
    const other = await claimant();
    expect((await world.begin({ email: world.address() })).location).toContain(world.ssoUrl);

    const [mine = ''] = platform.dns.get(nameOf()) as string[];
    const theirs = (await statusOf(other)).txt_value;
    platform.dns.set(nameOf(), [mine, theirs]);
    expect(await verifyDomains(other.tenant, other.connection.id)).toMatchObject([
      { status: 'CLAIMED', problem: expect.stringContaining('another connection') },
    ]);
    platform.dns.set(nameOf(), [theirs]);
    expect(await verifyDomains(other.tenant, other.connection.id)).toMatchObject([{ status: 'PROVEN' }]);
    expect((await world.begin({ email: world.address() })).location).toContain(other.ssoUrl);
    expect((await statusOf()).status).toBe('claimed');
    expect((await world.signIn()).status).toBe(401);
  });

  test('exactly one of two organizations that verify an email domain concurrently gets the domain', async () => {
    const other = await claimant();
    const third = await claimant();
    platform.dns.set(nameOf(), [(await statusOf(other)).txt_value, (await statusOf(third)).txt_value]);
    const results = await Promise.all([other, third].map((one) => verifyDomains(one.tenant, one.connection.id)));
    expect(results.map(([domain]) => domain.status).toSorted()).toEqual(['CLAIMED', 'PROVEN']);
  });
});

describe('proven domain without its record', () => {
  test('a verified email domain can be used for seven days after its TXT record disappears, and owners get two emails', async () => {
    const owner = await userOf(world.tenant, 'owner');
    const records = platform.dns.get(nameOf()) ?? [];
    platform.dns.delete(nameOf());
    await platform.advance(DAY_MS + HOUR_MS);
    await checkDomains();
    expect(await statusOf()).toMatchObject({ status: 'proven', problem: expect.any(String), works_until: expect.any(String) });
    await eventually(() => mailsTo(owner.email, /is missing/).length === 1);
    expect((await world.signIn()).status).toBe(200);

    platform.dns.set(nameOf(), records);
    await platform.advance(2 * HOUR_MS);
    await checkDomains();
    expect(await statusOf()).toMatchObject({ status: 'proven', problem: null, works_until: null });

    platform.dns.delete(nameOf());
    await platform.advance(DAY_MS + HOUR_MS);
    await checkDomains();
    await platform.advance(7 * DAY_MS + 1000);
    expect((await world.signIn()).status).toBe(401);
    await checkDomains();
    expect((await statusOf()).status).toBe('claimed');
    await eventually(() => mailsTo(owner.email, /has ended/).length === 1);
    expect((await world.begin({ email: world.address() })).status).toBe(404);
  });

  test('a user of a verified email domain can still sign in while DNS fails', async () => {
    platform.dns.set(nameOf(), Object.assign(new Error('queryTxt ESERVFAIL'), { code: 'ESERVFAIL' }));
    await platform.advance(10 * DAY_MS);
    await checkDomains();
    expect((await world.signIn()).status).toBe(200);
  });
});

describe('connections from before domain verification', () => {
  /**
   * Simulates an upgrade from a release without domain verification: deletes the domain claim of the connection, and runs
   * the domain check, which creates a claim with a grace period.
   */
  const afterUpgrade = async () => {
    platform.dns.delete(nameOf());
    await (await rows()).query('delete from identity.saml_domain_claim where connection_id = $1', [world.connection.id]);
    await checkDomains();
  };

  test('after an upgrade, an email domain works for 30 days without the new verification, and owners get three emails', async () => {
    const owner = await userOf(world.tenant, 'owner');
    await afterUpgrade();
    expect(await statusOf()).toMatchObject({ status: 'claimed', works_until: expect.any(String) });
    await eventually(() => mailsTo(owner.email, /Prove your e-mail domains/).length === 1);
    expect(mailsTo(owner.email, /Prove/)[0]?.text).toContain((await statusOf()).txt_value);
    expect((await world.signIn()).status).toBe(200);

    await platform.advance(24 * DAY_MS);
    await checkDomains();
    await checkDomains();
    await eventually(() => mailsTo(owner.email, /Prove your e-mail domains/).length === 2);
    expect((await world.signIn()).status).toBe(200);
    await platform.advance(6 * DAY_MS + 1000);
    expect((await world.signIn()).status).toBe(401);
    expect((await world.begin({ email: world.address() })).status).toBe(404);
    await checkDomains();
    await eventually(() => mailsTo(owner.email, /has ended/).length === 1);
    expect(mailsTo(owner.email, /Prove/)).toHaveLength(2);
  });

  test('after an upgrade, an unverified email domain moves to another organization that verifies the domain', async () => {
    await afterUpgrade();
    const other = await claimant();
    platform.dns.set(nameOf(), [(await statusOf(other)).txt_value]);
    expect(await verifyDomains(other.tenant, other.connection.id)).toMatchObject([{ status: 'PROVEN' }]);
    expect((await world.begin({ email: world.address() })).location).toContain(other.ssoUrl);
    expect((await world.signIn()).status).toBe(401);
  });
});

test('an email domain stays verified when its SAML connection is changed, and a sign-in with a removed domain returns 404', async () => {
  await world.update({ name: 'Renamed', email_domains: [world.domain, `more.${world.domain}`] });
  const { domains } = (await world.tenant.rest('GET', `/auth/saml-connections/${world.connection.id}`)).body.data;
  expect(domains.map(({ domain, status }: Json) => [domain, status])).toEqual(
    [
      [`more.${world.domain}`, 'claimed'],
      [world.domain, 'proven'],
    ].toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
  );
  await world.update({ email_domains: [`more.${world.domain}`] });
  expect((await world.begin({ email: world.address() })).status).toBe(404);
});

test('an email domain in Unicode or upper case is stored as Punycode, and sign-ins with any spelling succeed', async () => {
  const unicode = `BÜCHER.${world.domain}`;
  await world.update({ email_domains: [unicode] });
  const punycode = `xn--bcher-kva.${world.domain}`;
  expect((await statusOf()).domain).toBe(punycode);
  platform.dns.set(nameOf(punycode), [(await statusOf()).txt_value]);
  await verifyDomains(world.tenant, world.connection.id);
  for (const domain of [unicode, unicode.toLowerCase(), punycode])
    expect((await world.begin({ email: `grace@${domain}` })).location, domain).toContain(world.ssoUrl);
});

test.each([
  'example.com.',
  '.example.com',
  'example',
  'exa\u200bmple.com',
  '1.2.3.4',
  'a b.example.com',
  'xn--.example.com',
  'x%2e.com',
  'example.com/',
  'example.com?x',
  'example.com#',
  'example.com:443',
  'example.com／x',
  '例え',
])('updating a SAML connection with the malformed domain %j returns 400', async (domain) => {
  const { status, body } = await world.update({ email_domains: [domain] });
  expect([status, body.error?.details.field]).toEqual([400, 'email_domains']);
});

test('with SAML_DOMAIN_PROOF=none, the first organization that claims an email domain gets the domain without verification', async () => {
  const trusting = await start({ SAML_DOMAIN_PROOF: 'none' });
  try {
    const [first, second] = [await trusting.organization(), await trusting.organization()];
    const body = { name: 'Any', email_domains: ['acme.example.com'] };
    expect((await first.rest('POST', '/auth/saml-connections', { body })).body.data.domains).toMatchObject([{ status: 'proven' }]);
    expect((await second.rest('POST', '/auth/saml-connections', { body })).body.data.domains).toMatchObject([{ status: 'claimed' }]);
  } finally {
    await trusting.close();
  }
});
