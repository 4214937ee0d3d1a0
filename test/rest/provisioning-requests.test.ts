import { beforeAll, describe, expect, test } from 'vitest';
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
import { rig } from '../rig.ts';
import { tenantWithAccount } from '../services.setup.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

const BUILT = '>acknowledged>in_progress>completed';
const DAY_MS = 86_400_000;

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const change = (id: string, body: Json): Promise<RestResponse> => tenant.rest('PUT', `/services/provision/${id}`, { body });
const cancel = (id: string): Promise<RestResponse> => tenant.rest('DELETE', `/services/provision/${id}`);
const servicesOf = async (account: string): Promise<Json[]> => (await tenant.rest('GET', `/services?account_id=${account}`)).body.data;
const newAccount = async (): Promise<string> => (await createAccount(tenant)).id;

describe('incomplete provisioning requests', () => {
  test('a provisioning request without a location is pending and lists the location as missing', async () => {
    const schedule = { preferred_date: inDays(3), flexibility: '7_days' };
    const { status, body } = await requestProvisioning(tenant, provisioningRequest({ deployment_schedule: schedule }));
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^prov_/),
      status: 'pending',
      status_reason: 'Waits for a location.',
      missing: ['location'],
      service_template: 'business_fiber',
      customizations: { bandwidth: '1000mbps', redundancy: true, monitoring: true },
      deployment_schedule: schedule,
      contacts: { technical: 'noc@acme.example.com', billing: 'accounts@acme.example.com' },
      account_id: expect.stringMatching(/^acc_/),
      location: null,
      sla: null,
      billing_cycle: 'monthly',
      name: null,
      features: [],
      quote_id: null,
      quote_line: null,
      service_id: null,
      expected_completion: null,
      steps: [
        { name: 'information', status: 'running' },
        { name: 'schedule', status: 'pending' },
        { name: 'order', status: 'pending' },
        { name: 'build', status: 'pending' },
      ],
      history: [{ from: null, to: 'pending', at: expect.stringMatching(/Z$/), reason: 'Waits for a location.' }],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(await readRequest(tenant, body.data.id)).toEqual(body.data);
  });

  test('setting the missing location of a provisioning request orders its service, for the account that was set earlier', async () => {
    const account = await newAccount();
    const { id } = await requested(tenant, provisioningRequest());
    const changed = await change(id, { account_id: account });
    expect(changed.body.data).toMatchObject({ status: 'pending', account_id: account, missing: ['location'] });
    expect(changed.body.data.history).toHaveLength(1);

    const { status, body } = await change(id, { location: { ...LOCATION, state: 'ny' } });
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

  test('every field of a pending provisioning request can be changed', async () => {
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

describe('complete provisioning requests', () => {
  test('a provisioning request with all fields orders the service and is completed when the service is operational', async () => {
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

  test('by default a provisioning request has no redundancy or monitoring, and it accepts a bandwidth in gigabits', async () => {
    const { customizations } = await requested(tenant, completeRequest(accountId, { customizations: { bandwidth: '1 Gbps' } }));
    expect(customizations).toEqual({ bandwidth: '1000mbps', redundancy: false, monitoring: false });
  });

  test.each([true, false, 'standard', 'advanced'])(
    'monitoring %j is stored in the provisioning request and in its service as sent',
    async (monitoring) => {
      const order = completeRequest(accountId, { customizations: { bandwidth: '500mbps', monitoring } });
      const { customizations, service_id } = await requested(tenant, order);
      expect(customizations.monitoring).toBe(monitoring);
      const { data } = (await tenant.rest('GET', `/services/${service_id}`)).body;
      expect(data.configuration.monitoring).toBe(monitoring);
    },
  );

  test('a provisioning request fails with the reason of its service if the provider permanently rejects it', async () => {
    const location = { ...LOCATION, address: '1 FAIL-PERMANENT Road' };
    const { id } = await requested(tenant, completeRequest(accountId, { location }));
    const failed = await requestThatIs('failed', tenant, id);
    expect(failed).toMatchObject({ status_reason: expect.stringContaining('cannot build'), expected_completion: null });
    expect(stepsIn(failed)).toBe('information completed, schedule skipped, order completed, build failed');
    expect(storyOf(failed)).toBe('>acknowledged>in_progress>failed');
  });

  test('a provisioning request that is sent twice with the same Idempotency-Key orders one service', async () => {
    const account = await newAccount();
    const options = { body: completeRequest(account), headers: { 'idempotency-key': account } };
    const first = await tenant.rest('POST', '/services/provision', options);
    const second = await tenant.rest('POST', '/services/provision', options);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.data).toEqual(first.body.data);
    expect(await servicesOf(account)).toHaveLength(1);
  });
});

describe('scheduled provisioning requests', () => {
  test('a provisioning request with a future date starts on this date and states its expected completion', async () => {
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

  test('a provisioning request whose date is changed starts only on the new date', async () => {
    const account = await newAccount();
    const { id } = await requested(tenant, completeRequest(account, { deployment_schedule: { preferred_date: inDays(2) } }));
    const later = inDays(4);
    await change(id, { deployment_schedule: { preferred_date: later } });
    // the jobs of the old date have run when another request with an earlier date is completed
    const other = await requested(tenant, completeRequest(account, { deployment_schedule: { preferred_date: inDays(3) } }));
    await (await rig()).advance(3 * DAY_MS);
    await requestThatIs('completed', tenant, other.id);
    expect(await readRequest(tenant, id)).toMatchObject({ status: 'pending', deployment_schedule: { preferred_date: later } });

    await (await rig()).advance(DAY_MS);
    await requestThatIs('completed', tenant, id);
    expect(await servicesOf(account)).toHaveLength(2);
  });

  test('a provisioning request starts immediately if its date is removed or set to the current day', async () => {
    const request = completeRequest(accountId, { deployment_schedule: { preferred_date: inDays(2) } });
    const [one, other] = [await requested(tenant, request), await requested(tenant, request)];
    expect((await change(one.id, { deployment_schedule: null })).body.data.status).toBe('acknowledged');
    // the day must not end between the two calls
    const { body } = await (await rig()).clock.standingStill(() =>
      change(other.id, { deployment_schedule: { preferred_date: inDays(0).slice(0, 10) } }),
    );
    expect(body.data.status).toBe('acknowledged');
  });

  test('a scheduled provisioning request fails with the reason if its account is suspended on the start date', async () => {
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

describe('cancelled provisioning requests', () => {
  test('a cancelled provisioning request orders no service on its date', async () => {
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

  test('changing a provisioning request that has started returns 409 INVALID_STATE', async () => {
    const { id } = await requested(tenant, completeRequest(accountId));
    const changed = await change(id, { name: 'Too late' });
    expect(changed.status).toBe(409);
    expect(changed.body.error).toMatchObject({ code: 'INVALID_STATE', details: { resource: 'provisioning_request', id } });
    expect(storyOf(await requestThatIs('completed', tenant, id))).toBe(BUILT);
  });

  test('changing or cancelling a cancelled provisioning request returns 409 INVALID_STATE', async () => {
    const { id } = await requested(tenant, provisioningRequest());
    await cancel(id);
    const again = await cancel(id);
    expect(again.body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: 'cancelled', to: 'cancelled', allowed: [] } });
    expect((await change(id, { account_id: accountId })).status).toBe(409);
  });
});

describe('concurrent changes of a provisioning request', () => {
  test('of four concurrent updates that complete a provisioning request, one orders the service and three return an error', async () => {
    const account = await newAccount();
    const { id } = await requested(tenant, provisioningRequest({ account_id: account }));
    const responses = await Promise.all(Array.from({ length: 4 }, () => change(id, { location: LOCATION })));
    const codes = responses.map(({ status, body }) => (status === 200 ? 'done' : body.error.code));
    expect(codes.filter((code) => code === 'done')).toHaveLength(1);
    expect(codes.filter((code) => !['done', 'INVALID_STATE', 'STALE_RESOURCE'].includes(code))).toEqual([]);
    expect(await servicesOf(account)).toHaveLength(1);
  });
});
