import { parse } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../../kernel/log.ts';
import { Principal } from '../../kernel/principal.ts';
import { createAccount, LOCATION } from '../billing.setup.ts';
import {
  completeRequest,
  inDays,
  provisioningRequest,
  readRequest,
  requested,
  requestProvisioning,
  requestThatIs,
  stepsIn,
  storyOf,
} from '../provisioning.setup.ts';
import { eventually, rig } from '../rig.ts';
import { tenantWithAccount } from '../services.setup.ts';
import { onlyTable } from '../support/tables.ts';
import type { Answer, Json, Tenant } from '../tenant.ts';

const BUILT = '>acknowledged>in_progress>completed';
const DAY_MS = 86_400_000;

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const change = (id: string, body: Json): Promise<Answer> => tenant.rest('PUT', `/services/provision/${id}`, { body });
const cancel = (id: string): Promise<Answer> => tenant.rest('DELETE', `/services/provision/${id}`);
const servicesOf = async (account: string): Promise<Json[]> => (await tenant.rest('GET', `/services?account_id=${account}`)).body.data;
const newAccount = async (): Promise<string> => (await createAccount(tenant)).id;

describe('a request with the members of the specification alone', () => {
  test('is pending, and says what is missing', async () => {
    const schedule = { preferred_date: inDays(3), flexibility: '7_days' };
    const { status, body } = await requestProvisioning(tenant, provisioningRequest({ deployment_schedule: schedule }));
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^prov_/),
      status: 'pending',
      status_reason: 'Waits for an account and a location.',
      missing: ['account_id', 'location'],
      service_template: 'business_fiber',
      customizations: { bandwidth: '1000mbps', redundancy: true, monitoring: true },
      deployment_schedule: schedule,
      contacts: { technical: 'noc@acme.example.com', billing: 'accounts@acme.example.com' },
      account_id: null,
      location: null,
      sla: null,
      billing_cycle: 'monthly',
      name: null,
      service_id: null,
      expected_completion: null,
      steps: [
        { name: 'information', status: 'running' },
        { name: 'schedule', status: 'pending' },
        { name: 'order', status: 'pending' },
        { name: 'build', status: 'pending' },
      ],
      history: [{ from: null, to: 'pending', at: expect.stringMatching(/Z$/), reason: 'Waits for an account and a location.' }],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(await readRequest(tenant, body.data.id)).toEqual(body.data);
  });

  test('is ordered once both are supplied, in whichever order', async () => {
    const account = await newAccount();
    const { id } = await requested(tenant, provisioningRequest());
    const located = await change(id, { location: { ...LOCATION, state: 'ny' } });
    expect(located.body.data).toMatchObject({ status: 'pending', missing: ['account_id'], status_reason: 'Waits for an account.' });
    expect(located.body.data.history).toHaveLength(1);

    const { status, body } = await change(id, { account_id: account });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      status: 'acknowledged',
      missing: [],
      location: LOCATION,
      service_id: expect.stringMatching(/^svc_/),
    });
    const completed = await requestThatIs('completed', tenant, id);
    expect(storyOf(completed)).toBe(`>pending${BUILT}`);
    expect((await servicesOf(account)).map((service) => service.id)).toEqual([completed.service_id]);
  });

  test('can be changed in all of its members', async () => {
    const { id } = await requested(tenant, provisioningRequest());
    const wanted = {
      service_template: 'business_cable',
      customizations: { bandwidth: '500mbps', redundancy: false, monitoring: false },
      deployment_schedule: { preferred_date: inDays(9), flexibility: '2_days' },
      contacts: { technical: 'other@acme.example.com', billing: null },
      sla: 'business',
      billing_cycle: 'annual',
      name: 'Branch',
    };
    expect((await change(id, wanted)).body.data).toMatchObject(wanted);
    const cleared = { deployment_schedule: null, contacts: null, sla: null, name: null };
    expect((await change(id, cleared)).body.data).toMatchObject({ service_template: 'business_cable', ...cleared });
  });
});

describe('a request with account and location', () => {
  test('orders the service and is completed when that is operational', async () => {
    const order = completeRequest(accountId, { name: 'Headquarters', sla: 'enterprise', billing_cycle: 'annual' });
    const taken = await requested(tenant, order);
    expect(taken).toMatchObject({ status: 'acknowledged', status_reason: null, missing: [], service_id: expect.stringMatching(/^svc_/) });
    expect(stepsIn(taken)).toBe('information completed, schedule skipped, order completed, build pending');
    expect(Date.parse(taken.expected_completion)).toBeGreaterThan(Date.parse(taken.created_at));

    const completed = await requestThatIs('completed', tenant, taken.id);
    expect(storyOf(completed)).toBe(BUILT);
    expect(stepsIn(completed)).toBe('information completed, schedule skipped, order completed, build completed');
    expect(completed.expected_completion).toBe(completed.history.at(-1).at);

    const { data: service } = (await tenant.rest('GET', `/services/${taken.service_id}`)).body;
    expect(service).toMatchObject({
      status: 'operational',
      account_id: accountId,
      catalog_id: 'business_fiber',
      service_type: 'fiber',
      bandwidth: '1000mbps',
      location: LOCATION,
      name: 'Headquarters',
      sla: 'enterprise',
      billing_cycle: 'annual',
      monthly_price: 403.65,
      configuration: { redundancy: true, monitoring: true },
      provisioned_at: completed.history.at(-1).at,
    });
  });

  test('wants neither redundancy nor monitoring where nothing is said, and may write its bandwidth in gigabits', async () => {
    const { customizations } = await requested(tenant, completeRequest(accountId, { customizations: { bandwidth: '1 Gbps' } }));
    expect(customizations).toEqual({ bandwidth: '1000mbps', redundancy: false, monitoring: false });
  });

  test('fails with the reason of its service where the provider refuses it', async () => {
    const location = { ...LOCATION, address: '1 FAIL-PERMANENT Road' };
    const { id } = await requested(tenant, completeRequest(accountId, { location }));
    const failed = await requestThatIs('failed', tenant, id);
    expect(failed).toMatchObject({ status_reason: expect.stringContaining('cannot build'), expected_completion: null });
    expect(stepsIn(failed)).toBe('information completed, schedule skipped, order completed, build failed');
    expect(storyOf(failed)).toBe('>acknowledged>in_progress>failed');
  });

  test('is ordered once, however often it is sent with one idempotency key', async () => {
    const account = await newAccount();
    const options = { body: completeRequest(account), headers: { 'idempotency-key': account } };
    const first = await tenant.rest('POST', '/services/provision', options);
    const second = await tenant.rest('POST', '/services/provision', options);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.data).toEqual(first.body.data);
    expect(await servicesOf(account)).toHaveLength(1);
  });
});

describe('a request for a later date', () => {
  test('waits for it, begins by itself, and says when it will be done', async () => {
    const account = await newAccount();
    const schedule = { preferred_date: inDays(5), flexibility: '7_days' };
    const taken = await requested(tenant, completeRequest(account, { deployment_schedule: schedule }));
    expect(taken).toMatchObject({
      status: 'pending',
      status_reason: `Begins at ${schedule.preferred_date}.`,
      missing: [],
      service_id: null,
    });
    expect(stepsIn(taken)).toBe('information completed, schedule running, order pending, build pending');
    expect(Date.parse(taken.expected_completion) - Date.parse(schedule.preferred_date)).toBe(7 * DAY_MS);
    expect(await servicesOf(account)).toEqual([]);

    await (await rig()).advance(5 * DAY_MS);
    const completed = await requestThatIs('completed', tenant, taken.id);
    expect(storyOf(completed)).toBe(`>pending${BUILT}`);
    expect(stepsIn(completed)).toBe('information completed, schedule completed, order completed, build completed');
    expect((await servicesOf(account)).map(({ id }) => id)).toEqual([completed.service_id]);
  });

  test('begins at the new date where it was moved, and not at the old one too', async () => {
    const account = await newAccount();
    const { id } = await requested(tenant, completeRequest(account, { deployment_schedule: { preferred_date: inDays(2) } }));
    const later = inDays(4);
    await change(id, { deployment_schedule: { preferred_date: later } });
    // what comes to its old date before it, and is done with, shows that the jobs of that day were worked on
    const other = await requested(tenant, completeRequest(account, { deployment_schedule: { preferred_date: inDays(3) } }));
    await (await rig()).advance(3 * DAY_MS);
    await requestThatIs('completed', tenant, other.id);
    expect(await readRequest(tenant, id)).toMatchObject({ status: 'pending', deployment_schedule: { preferred_date: later } });

    await (await rig()).advance(DAY_MS);
    await requestThatIs('completed', tenant, id);
    expect(await servicesOf(account)).toHaveLength(2);
  });

  test('begins at once where its date is taken away, or comes to be today', async () => {
    const request = completeRequest(accountId, { deployment_schedule: { preferred_date: inDays(2) } });
    const [one, other] = [await requested(tenant, request), await requested(tenant, request)];
    expect((await change(one.id, { deployment_schedule: null })).body.data.status).toBe('acknowledged');
    // a day must not end between the two
    const { body } = await (await rig()).clock.standingStill(() =>
      change(other.id, { deployment_schedule: { preferred_date: inDays(0).slice(0, 10) } }),
    );
    expect(body.data.status).toBe('acknowledged');
  });

  test('has failed where it can no longer be ordered then, with the reason', async () => {
    const account = await newAccount();
    const { id } = await requested(tenant, completeRequest(account, { deployment_schedule: { preferred_date: inDays(2) } }));
    await tenant.rest('PUT', `/accounts/${account}`, { body: { status: 'suspended' } });
    await (await rig()).advance(2 * DAY_MS);
    const failed = await requestThatIs('failed', tenant, id);
    expect(failed).toMatchObject({ status_reason: expect.stringContaining(`${account} is suspended`), service_id: null });
    expect(stepsIn(failed)).toBe('information completed, schedule completed, order failed, build skipped');
    expect(await servicesOf(account)).toEqual([]);
  });
});

describe('a request that is cancelled', () => {
  test('never begins', async () => {
    const account = await newAccount();
    const schedule = { preferred_date: inDays(1) };
    const { id } = await requested(tenant, completeRequest(account, { deployment_schedule: schedule }));
    const other = await requested(tenant, completeRequest(accountId, { deployment_schedule: schedule }));
    const { status, body } = await cancel(id);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id, status: 'cancelled', expected_completion: null });
    expect(stepsIn(body.data)).toBe('information completed, schedule skipped, order skipped, build skipped');

    await (await rig()).advance(DAY_MS);
    await requestThatIs('completed', tenant, other.id);
    expect(storyOf(await readRequest(tenant, id))).toBe('>pending>cancelled');
    expect(await servicesOf(account)).toEqual([]);
  });

  test('has not begun: one that has is neither cancelled nor changed', async () => {
    const { id } = await requested(tenant, completeRequest(accountId));
    const refused = await cancel(id);
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({ code: 'INVALID_STATE', details: { to: 'cancelled' } });
    const changed = await change(id, { name: 'Too late' });
    expect(changed.status).toBe(409);
    expect(changed.body.error).toMatchObject({ code: 'INVALID_STATE', details: { resource: 'provisioning_request', id } });
    expect(storyOf(await requestThatIs('completed', tenant, id))).toBe(BUILT);
  });

  test('has not begun, whatever has become of it since', async () => {
    const { id } = await requested(tenant, completeRequest(accountId));
    await requestThatIs('completed', tenant, id);
    const table = await onlyTable('services.provisioning_request');
    for (const from of ['acknowledged', 'in_progress', 'failed', 'completed']) {
      await table.set('status', from, 'id', id);
      const { status, body } = await cancel(id);
      expect([from, status]).toEqual([from, 409]);
      expect(body.error).toMatchObject({ code: 'INVALID_STATE', details: { from, to: 'cancelled' } });
    }
  });

  test('is final', async () => {
    const { id } = await requested(tenant, provisioningRequest());
    await cancel(id);
    const again = await cancel(id);
    expect(again.body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: 'cancelled', to: 'cancelled', allowed: [] } });
    expect((await change(id, { account_id: accountId })).status).toBe(409);
  });
});

describe('two changes at the same moment', () => {
  test('order one service', async () => {
    const account = await newAccount();
    const { id } = await requested(tenant, provisioningRequest({ location: LOCATION }));
    const answers = await Promise.all(Array.from({ length: 4 }, () => change(id, { account_id: account })));
    const codes = answers.map(({ status, body }) => (status === 200 ? 'done' : body.error.code));
    expect(codes.filter((code) => code === 'done')).toHaveLength(1);
    expect(codes.filter((code) => !['done', 'INVALID_STATE', 'STALE_RESOURCE'].includes(code))).toEqual([]);
    expect(await servicesOf(account)).toHaveLength(1);
  });
});

describe('a request is refused', () => {
  const EARLIEST = 'must be today or within a year';
  test.each<[string, object]>([
    ['service_template', { service_template: undefined }],
    ['service_template', { service_template: '' }],
    ['customizations', { customizations: undefined }],
    ['customizations', { customizations: 'fast' }],
    ['customizations.bandwidth', { customizations: {} }],
    ['customizations.bandwidth', { customizations: { bandwidth: 'fast' } }],
    ['customizations.bandwidth', { customizations: { bandwidth: '700mbps' } }],
    ['customizations.redundancy', { customizations: { bandwidth: '1gbps', redundancy: 'yes' } }],
    ['customizations.monitoring', { customizations: { bandwidth: '1gbps', monitoring: 'gold' } }],
    ['customizations.colour', { customizations: { bandwidth: '1gbps', colour: 'green' } }],
    ['deployment_schedule.preferred_date', { deployment_schedule: { flexibility: '7_days' } }],
    ['deployment_schedule.preferred_date', { deployment_schedule: { preferred_date: 'soon' } }],
    ['contacts.technical', { contacts: { technical: 'noc' } }],
    ['contacts.billing', { contacts: { technical: 'noc@acme.example.com', billing: 7 } }],
    ['account_id', { account_id: 'acme' }],
    ['location.zip', { location: { ...LOCATION, zip: 'x' } }],
    ['location.state', { location: { ...LOCATION, state: 'CA' } }],
    ['sla', { sla: 'platinum' }],
    ['billing_cycle', { billing_cycle: 'hourly' }],
    ['name', { name: '' }],
    ['colour', { colour: 'green' }],
  ])('naming %s, with %j', async (field, wrong) => {
    const { status, body } = await requestProvisioning(tenant, provisioningRequest(wrong));
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field } });
  });

  test.each([
    ['preferred_date', () => ({ preferred_date: inDays(-1) }), EARLIEST],
    ['preferred_date', () => ({ preferred_date: inDays(370) }), EARLIEST],
    ['flexibility', () => ({ preferred_date: inDays(1), flexibility: 'a while' }), 'must be a duration such as 7_days'],
    ['flexibility', () => ({ preferred_date: inDays(1), flexibility: '13_months' }), 'must be at most a year'],
  ])('with a schedule whose %s is out of range', async (member, schedule, reason) => {
    const { status, body } = await requestProvisioning(tenant, provisioningRequest({ deployment_schedule: schedule() }));
    expect(status).toBe(400);
    expect(body.error.details).toMatchObject({ field: `deployment_schedule.${member}`, reason: expect.stringContaining(reason) });
  });

  test.each(['mpls_network', 'business_carrier_pigeon'])('for %s, which cannot be built, naming what can', async (template) => {
    const { status, body } = await requestProvisioning(tenant, provisioningRequest({ service_template: template }));
    expect(status).toBe(400);
    expect(body.error.details).toMatchObject({
      field: 'service_template',
      value: template,
      reason: 'must be one of business_fiber, business_cable, fixed_wireless_access, business_dsl',
    });
  });

  test.each<[string, object]>([
    ['LOCATION_NOT_SERVICEABLE', { location: { ...LOCATION, city: 'Utqiagvik', state: 'AK', zip: '99723' } }],
    ['SERVICE_UNAVAILABLE_AT_LOCATION', { location: { address: '1 Duval Street', city: 'Key West', state: 'FL', zip: '33040' } }],
    ['INSUFFICIENT_BANDWIDTH', { customizations: { bandwidth: '10gbps' }, location: { ...LOCATION, city: 'Buffalo', zip: '14202' } }],
  ])('with %s as an order is, also where it begins later or lacks its account', async (code, wrong) => {
    for (const more of [{}, { account_id: accountId }, { deployment_schedule: { preferred_date: inDays(3) } }]) {
      const { status, body } = await requestProvisioning(tenant, provisioningRequest({ ...wrong, ...more }));
      expect([status, body.error.code]).toEqual([400, code]);
    }
  });

  test('for an account that there is not, and for a suspended one', async () => {
    const absent = await requestProvisioning(tenant, provisioningRequest({ account_id: 'acc_00000000000000000000000000' }));
    expect([absent.status, absent.body.error.details.resource]).toEqual([404, 'account']);
    const account = await newAccount();
    await tenant.rest('PUT', `/accounts/${account}`, { body: { status: 'suspended' } });
    const suspended = await requestProvisioning(tenant, completeRequest(account));
    expect([suspended.status, suspended.body.error.code]).toEqual([409, 'INVALID_STATE']);
  });

  test('and leaves nothing behind, and a refused change leaves all as it was', async () => {
    const own = await tenantWithAccount();
    await requestProvisioning(own.tenant, completeRequest(own.accountId, { sla: 'platinum' }));
    expect((await own.tenant.rest('GET', '/services/provision')).body.data).toEqual([]);
    expect((await own.tenant.rest('GET', '/services')).body.data).toEqual([]);

    const taken = await requested(own.tenant, provisioningRequest());
    const body = { account_id: own.accountId, location: LOCATION, customizations: { bandwidth: '700mbps' } };
    expect((await own.tenant.rest('PUT', `/services/provision/${taken.id}`, { body })).status).toBe(400);
    expect(await readRequest(own.tenant, taken.id)).toEqual(taken);
  });

  test.each(['service_template', 'customizations', 'billing_cycle'])('a change of %s to null is, naming it', async (field) => {
    const { id } = await requested(tenant, provisioningRequest());
    const { status, body } = await change(id, { [field]: null });
    expect([status, body.error.details.field]).toEqual([400, field]);
  });
});

describe('the list of requests', () => {
  test('has the newest first, and is narrowed by status and account', async () => {
    const own = await tenantWithAccount();
    const waiting = await requested(own.tenant, provisioningRequest());
    const ordered = await requested(own.tenant, completeRequest(own.accountId));
    await requestThatIs('completed', own.tenant, ordered.id);
    const ids = async (query: string): Promise<string[]> =>
      (await own.tenant.rest('GET', `/services/provision${query}`)).body.data.map(({ id }: Json) => id);
    expect(await ids('')).toEqual([ordered.id, waiting.id]);
    expect(await ids('?sort=created_at:asc')).toEqual([waiting.id, ordered.id]);
    expect(await ids('?status=pending')).toEqual([waiting.id]);
    expect(await ids('?status=completed,failed')).toEqual([ordered.id]);
    expect(await ids(`?account_id=${own.accountId}`)).toEqual([ordered.id]);
    expect((await own.tenant.rest('GET', '/services/provision?status=broken')).status).toBe(400);
  });

  test('with accounts and services costs as many statements for four as for one', async () => {
    const own = await tenantWithAccount();
    const query = '{ provisioningRequests { nodes { id steps { name } history { to } account { name } service { name } } } }';
    const read = async (count: number): Promise<void> =>
      expect((await own.tenant.graphql(query)).data.provisioningRequests.nodes).toHaveLength(count);
    const complete = async (): Promise<void> => {
      const { id } = await requested(own.tenant, completeRequest((await createAccount(own.tenant)).id));
      await requestThatIs('completed', own.tenant, id);
    };
    const statementsFor = async (count: number): Promise<string[]> => {
      const platform = await rig();
      // what follows from a service must have happened before statements are counted
      await eventually(async () => (await own.tenant.rest('GET', '/billing/invoices')).body.total_count === count);
      return platform.clock.standingStill(async () => {
        await read(count);
        return platform.statements(() => read(count));
      });
    };
    await complete();
    const forOne = await statementsFor(1);
    expect(forOne).not.toEqual([]);
    for (let more = 0; more < 3; more += 1) await complete();
    expect(await statementsFor(4)).toHaveLength(forOne.length);
  });
});

describe('over GraphQL', () => {
  const ASK =
    'mutation($input: ProvisioningRequestInput!) { requestProvisioning(input: $input) { id status account { name } service { name } } }';
  const input = (more: object = {}) => ({ serviceTemplate: 'business_fiber', customizations: { bandwidth: '500mbps' }, ...more });

  test('a request leads to its account and its service', async () => {
    const { data, errors } = await tenant.graphql(ASK, { input: input({ accountId, location: LOCATION, name: 'Annex' }) });
    expect(errors).toBeUndefined();
    expect(data.requestProvisioning).toMatchObject({
      status: 'ACKNOWLEDGED',
      account: { name: 'Acme Corporation' },
      service: { name: 'Annex' },
    });
  });

  test('one is asked for, changed and cancelled', async () => {
    const { data } = await tenant.graphql(ASK, { input: input() });
    const { id } = data.requestProvisioning;
    expect(data.requestProvisioning).toEqual({ id, status: 'PENDING', account: null, service: null });
    const changed = await tenant.graphql(
      'mutation($id: ID!) { updateProvisioningRequest(id: $id, input: { name: "Annex", billingCycle: ANNUAL }) { name billingCycle missing } }',
      { id },
    );
    expect(changed.data.updateProvisioningRequest).toEqual({ name: 'Annex', billingCycle: 'ANNUAL', missing: ['ACCOUNT_ID', 'LOCATION'] });
    const cancelled = await tenant.graphql('mutation($id: ID!) { cancelProvisioningRequest(id: $id) { history { from to } } }', { id });
    expect(cancelled.data.cancelProvisioningRequest.history).toEqual([
      { from: null, to: 'PENDING' },
      { from: 'PENDING', to: 'CANCELLED' },
    ]);
  });

  test('asking, changing and cancelling want a second factor of a user who must show one, and reading does not', async () => {
    const { router } = (await rig()).assembly;
    const { id } = await requested(tenant, provisioningRequest());
    const principal = new Principal({
      kind: 'user',
      id: 'user_none',
      organizationId: tenant.organizationId,
      plan: 'custom',
      grants: ['services:*'],
      needsSecondFactor: true,
    });
    const context = { requestId: 'req_none', principal, log: createLogger({ level: 'silent' }) };
    const codeOf = async (operation: string): Promise<unknown> => {
      const { errors = [] } = await router.execute({ document: parse(operation), context });
      return errors[0]?.extensions.code;
    };
    const asked = 'input: { serviceTemplate: "business_fiber", customizations: { bandwidth: "1gbps" } }';
    expect(await codeOf(`mutation { requestProvisioning(${asked}) { id } }`)).toBe('MFA_REQUIRED');
    expect(await codeOf(`mutation { updateProvisioningRequest(id: "${id}", input: { name: "Annex" }) { id } }`)).toBe('MFA_REQUIRED');
    expect(await codeOf(`mutation { cancelProvisioningRequest(id: "${id}") { id } }`)).toBe('MFA_REQUIRED');
    expect(await codeOf(`{ provisioningRequest(id: "${id}") { id } }`)).toBeUndefined();
    expect(await readRequest(tenant, id)).toMatchObject({ status: 'pending', name: null });
  });
});
