import { beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../operator.setup.ts';
import { eventually, rig } from '../rig.ts';
import { freshEmail, newDomain } from '../support/record-kinds.ts';
import type { Json, Tenant } from '../tenant.ts';
import { login, PASSWORD, tokenMailedTo } from '../users.setup.ts';

let platform: Tenant;
beforeAll(async () => {
  platform = await operator();
});

const auditOf = async (tenant: Tenant, eventType: string): Promise<Json[]> =>
  (await tenant.rest('GET', `/auth/audit?event_type=${eventType}`)).body.data;

describe('organization creation by an operator', () => {
  test('the first owner of an organization that an operator creates gets an invitation and has all permissions', async () => {
    const email = freshEmail();
    const body = { name: 'Acme Corporation', plan: 'business', administrator: { name: 'Grace Hopper', email } };
    const made = await platform.rest('POST', '/operator/organizations', { body });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body.data).toMatchObject({ name: 'Acme Corporation', plan: 'business', status: 'active', operator: false });

    const token = await tokenMailedTo(email, /Acme Corporation/);
    expect((await platform.rest('POST', '/auth/password', { body: { token, password: PASSWORD } })).status).toBe(200);
    const { body: session } = await login(platform, email);
    const owner = Object.assign(Object.create(Object.getPrototypeOf(platform)), platform, { apiKey: session.data.access_token }) as Tenant;
    expect((await owner.rest('GET', '/organization')).body.data.id).toBe(made.body.data.id);
    expect((await owner.rest('POST', '/accounts', { body: { name: 'Site', email: freshEmail() } })).status).toBe(201);
    const account = (await owner.rest('GET', '/accounts?own=true')).body.data[0].id;
    expect((await owner.rest('GET', `/accounts/${account}/users`)).body.data).toMatchObject([
      { email, role: 'owner', account_id: account },
    ]);

    const [own] = await auditOf(owner, 'organization_created');
    expect(own).toMatchObject({ user_id: null, client_id: null, ip_address: null, reason: 'by the operator; plan business' });
    const records = await auditOf(platform, 'organization_created');
    expect(records.find(({ reason }) => reason.includes(made.body.data.id))).toMatchObject({ client_id: expect.stringMatching(/^ak_/) });
  });

  test('creating an organization with several invalid fields returns 400 with all of these fields', async () => {
    const body = { name: '', plan: 'platinum', administrator: { name: '', email: 'nobody' } };
    const refused = await platform.rest('POST', '/operator/organizations', { body });
    expect(refused.status).toBe(400);
    const fields = refused.body.error.details.errors.map(({ field }: Json) => field);
    expect(fields).toEqual(expect.arrayContaining(['name', 'plan', 'administrator.name', 'administrator.email']));
  });
});

describe('organization search by an operator', () => {
  test('an operator can search organizations by name and filter organizations by plan, status and review', async () => {
    const { organizationId } = await (await rig()).organization({ plan: 'business' });
    const name = `Umbrella ${organizationId}`;
    const own = await renamed(organizationId, name);
    const find = async (query: string): Promise<string[]> =>
      (await platform.rest('GET', `/operator/organizations?${query}`)).body.data.map(({ id }: Json) => id);
    expect(await find(`search=${organizationId}`)).toEqual([organizationId]);
    expect(await find(`search=${organizationId}&plan=business&status=active`)).toEqual([organizationId]);
    expect(await find(`search=${organizationId}&plan=developer`)).toEqual([]);
    expect(await find(`search=${organizationId}&under_review=true`)).toEqual([]);
    expect((await platform.rest('GET', `/operator/organizations/${organizationId}`)).body.data).toEqual(own);
    expect((await platform.rest('GET', '/operator/organizations/org_none')).status).toBe(404);
  });

  async function renamed(id: string, name: string): Promise<Json> {
    const { assembly } = await rig();
    await assembly.domains.identity.core.ports.rows.query('update "identity"."organization" set "name" = $2 where "id" = $1', [id, name]);
    return (await platform.rest('GET', `/operator/organizations/${id}`)).body.data;
  }
});

describe('plan changes by an operator', () => {
  test('after a plan change, requests of the current hour count against the limit of the new plan', async () => {
    const tenant = await (await rig()).organization({ plan: 'developer' });
    const remaining = async (): Promise<[number, number]> => {
      const { headers } = await tenant.rest('GET', '/organization');
      return [Number(headers.get('x-ratelimit-limit')), Number(headers.get('x-ratelimit-remaining'))];
    };
    const [before, left] = await remaining();
    const { body } = await platform.rest('PUT', `/operator/organizations/${tenant.organizationId}/plan`, { body: { plan: 'business' } });
    expect(body.data.plan).toBe('business');
    const [limit, remains] = await remaining();
    expect([before, limit]).toEqual([1_000, 10_000]);
    expect(limit - remains).toBe(before - left + 1);
    for (const of of [tenant, platform]) {
      const records = await auditOf(of, 'organization_plan_changed');
      expect(records.some(({ reason }) => reason.includes('plan developer to business'))).toBe(true);
    }
  });
});

test('a plan change is stored with its day, and overage is priced by the plan of each day', async () => {
  const { advance, assembly, clock } = await rig();
  const { core } = assembly.domains.identity;
  const tenant = await (await rig()).organization({ plan: 'business' });
  const now = clock.now();
  const noonOf = (date: number): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, date, 12));
  const use = async (requests: number): Promise<void> => {
    core.usage.count(tenant.organizationId, { requests, weight: requests }, clock.now());
    await core.usage.flush();
  };
  const change = async (plan: string): Promise<void> =>
    expect((await platform.rest('PUT', `/operator/organizations/${tenant.organizationId}/plan`, { body: { plan } })).status).toBe(200);
  await advance(noonOf(10).getTime() - clock.now().getTime());
  await use(300_000);
  await advance(noonOf(20).getTime() - clock.now().getTime());
  for (const plan of ['enterprise', 'developer']) await change(plan);
  await use(70_000);
  await core.overages.report();

  const month = noonOf(20).toISOString().slice(0, 7);
  const kept = `select "day"::text, "plan" from "identity"."organization_plan" where "organization_id" = $1 order by "day"`;
  expect(await core.ports.rows.query(kept, [tenant.organizationId])).toEqual([
    { day: '1970-01-01', plan: 'business' },
    { day: `${month}-20`, plan: 'developer' },
  ]);
  const days = new Date(Date.UTC(noonOf(20).getUTCFullYear(), noonOf(20).getUTCMonth() + 1, 0)).getUTCDate();
  const included = Math.floor((19 * 500_000 + (days - 19) * 50_000) / days);
  const found = await eventually(async () => {
    const { data, errors } = await tenant.graphql('{ events(filter: { event: ["usage.overage"] }) { nodes { payload } } }');
    expect(errors).toBeUndefined();
    return data.events.nodes.length > 0 && data.events.nodes;
  });
  const usages: Json[] = found.map(({ payload }: Json) => JSON.parse(payload).data.usage);
  expect(usages.map((usage) => usage.included)).toEqual(usages.map(() => included));
  // the latest requests are overage at the price of the developer plan, earlier requests at the price of business
  expect(usages.find(({ unit_price }) => unit_price === '0.001')?.quantity).toBe(Math.min(70_000, 370_000 - included));
});

test('after a downgrade, requests of the current minute count against the lower limit and can cause a 429', async () => {
  const tenant = await (await rig()).organization({ plan: 'business' });
  const change = async (plan: string): Promise<void> =>
    expect((await platform.rest('PUT', `/operator/organizations/${tenant.organizationId}/plan`, { body: { plan } })).status).toBe(200);
  // the business plan allows 500 requests in 60 seconds, the developer plan 100
  const responses = await Promise.all(Array.from({ length: 101 }, () => tenant.rest('GET', '/organization')));
  expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
  await change('developer');
  const refused = await tenant.rest('GET', '/organization');
  expect([refused.status, refused.body.error.details.window, refused.body.error.details.limit]).toEqual([429, 'burst', 100]);
});

test("clearing an organization's review resets its count of burst limit violations, so the next one starts no review", async () => {
  const tenant = await (await rig()).organization();
  const { core } = (await rig()).assembly.domains.identity;
  const { principal } = await core.authenticator.authenticate({
    kind: 'bearer',
    token: tenant.apiKey,
    ip: '127.0.0.1',
    userAgent: undefined,
  } as never);
  for (let times = 0; times < 3; times += 1) core.review.noteSuspension(principal);
  await eventually(async () => (await tenant.rest('GET', '/organization')).body.data.under_review_since);

  const path = `/operator/organizations/${tenant.organizationId}`;
  expect((await platform.rest('GET', '/operator/organizations?under_review=true')).body.data.map(({ id }: Json) => id)).toContain(
    tenant.organizationId,
  );
  expect((await platform.rest('POST', `${path}/clear-review`)).body.data.under_review_since).toBeNull();
  expect((await platform.rest('POST', `${path}/clear-review`)).status).toBe(200);
  expect(await auditOf(tenant, 'organization_review_cleared')).toHaveLength(1);
  core.review.noteSuspension(principal);
  await core.review.settled();
  expect((await tenant.rest('GET', '/organization')).body.data.under_review_since).toBeNull();
});

test('withdrawing an email domain as an operator removes the domain from the SAML connection and is audited in that organization and in the operator organization', async () => {
  const tenant = await (await rig()).organization();
  const domain = newDomain();
  const body = { name: 'Directory', email_domains: [domain], idp_entity_id: 'https://idp.example.com' };
  const { body: made } = await tenant.rest('POST', '/auth/saml-connections', { body });
  const path = `/operator/organizations/${tenant.organizationId}/saml-domains/${domain}`;
  const other = await (await rig()).organization();
  expect((await platform.rest('DELETE', path.replace(tenant.organizationId, other.organizationId))).status).toBe(200);
  const read = async (): Promise<Json> => (await tenant.rest('GET', `/auth/saml-connections/${made.data.id}`)).body.data;
  expect((await read()).email_domains).toEqual([domain]);

  for (let times = 0; times < 2; times += 1) expect((await platform.rest('DELETE', path)).status).toBe(200);
  expect(await read()).toMatchObject({ email_domains: [], domains: [] });
  expect(await auditOf(tenant, 'saml_domain_withdrawn')).toMatchObject([{ reason: `by the operator; ${domain}` }]);
  expect((await auditOf(platform, 'saml_domain_withdrawn')).filter(({ reason }) => reason.includes(domain))).toHaveLength(1);
});

test('an organization on the custom plan can exceed the hourly export limit of other plans', async () => {
  const tenant = await (await rig()).organization({ plan: 'custom' });
  for (let count = 0; count < 11; count += 1) {
    const report = await tenant.rest('POST', '/support/reports/generate', { body: { report_type: 'usage' } });
    expect(report.status, JSON.stringify(report.body)).toBeLessThan(300);
  }
  const { body } = await tenant.rest('GET', '/monitoring/rate-limits');
  expect(body.data.categories.find((one: Json) => one.category === 'export')).toMatchObject({ used: 11, limit: null });
});
