import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount, LOCATION } from '../billing.setup.ts';
import { completeRequest, inDays, provisioningRequest, readRequest, requested, requestProvisioning } from '../provisioning.setup.ts';
import { tenantWithAccount } from '../services.setup.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const change = (id: string, body: Json): Promise<RestResponse> => tenant.rest('PUT', `/services/provision/${id}`, { body });
const newAccount = async (): Promise<string> => (await createAccount(tenant)).id;

describe('rejected provisioning requests', () => {
  const EARLIEST = 'must be today or within a year';
  test.each<[string, object]>([
    ['service_template', { service_template: undefined }],
    ['service_template', { service_template: '' }],
    ['customizations', { customizations: 'fast' }],
    ['customizations.bandwidth', { customizations: { bandwidth: null } }],
    ['customizations.bandwidth', { customizations: { bandwidth: 1000 } }],
    ['customizations.bandwidth', { customizations: { bandwidth: 'fast' } }],
    ['customizations.bandwidth', { customizations: { bandwidth: '700mbps' } }],
    ['customizations.redundancy', { customizations: { bandwidth: '1gbps', redundancy: 'yes' } }],
    ['customizations.monitoring', { customizations: { bandwidth: '1gbps', monitoring: 'gold' } }],
    ['customizations.monitoring', { customizations: { bandwidth: '1gbps', monitoring: { level: 'advanced' } } }],
    ['customizations.monitoring', { customizations: { bandwidth: '1gbps', monitoring: ['advanced'] } }],
    ['customizations.monitoring', { customizations: { bandwidth: '1gbps', monitoring: 1 } }],
    ['customizations.monitoring', { customizations: { bandwidth: '1gbps', monitoring: null } }],
    ['customizations', { customizations: { bandwidth: '1gbps', monitoring: 'a\u0000b' } }],
    ['customizations', { customizations: { bandwidth: '1gbps', monitoring: 'a'.repeat(16 * 1024) } }],
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
    ['features.0', { features: ['fast_lane'] }],
    ['quote_id', { quote_id: 'acme' }],
    ['quote_line', { quote_line: -1 }],
    ['internet_customizations', { internet_customizations: { bandwidth: '1gbps' } }],
    ['colour', { colour: 'green' }],
  ])('a provisioning request with an invalid %s returns 400 INVALID_PARAMETERS: %j', async (field, wrong) => {
    const { status, body } = await requestProvisioning(tenant, provisioningRequest(wrong));
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field } });
  });

  test.each([
    ['preferred_date', () => ({ preferred_date: inDays(-1) }), EARLIEST],
    ['preferred_date', () => ({ preferred_date: inDays(370) }), EARLIEST],
    ['flexibility', () => ({ preferred_date: inDays(1), flexibility: 'a while' }), 'must be a duration such as 7_days'],
    ['flexibility', () => ({ preferred_date: inDays(1), flexibility: '13_months' }), 'must be at most a year'],
  ])('a provisioning request with an invalid %s in its schedule returns 400 with the reason', async (member, schedule, reason) => {
    const { status, body } = await requestProvisioning(tenant, provisioningRequest({ deployment_schedule: schedule() }));
    expect(status).toBe(400);
    expect(body.error.details).toMatchObject({ field: `deployment_schedule.${member}`, reason: expect.stringContaining(reason) });
  });

  test.each(['cloud_pbx', 'business_carrier_pigeon'])(
    'a provisioning request with a template that cannot be ordered returns 400 and lists the templates that can be ordered: %s',
    async (template) => {
      const { status, body } = await requestProvisioning(tenant, provisioningRequest({ service_template: template }));
      expect(status).toBe(400);
      expect(body.error.details).toMatchObject({
        field: 'service_template',
        value: template,
        reason: 'must be one of business_fiber, business_cable, fixed_wireless_access, business_dsl, mpls_network, sd_wan, sip_trunking',
      });
    },
  );

  test.each<[string, object]>([
    ['LOCATION_NOT_SERVICEABLE', { location: { ...LOCATION, city: 'Utqiagvik', state: 'AK', zip: '99723' } }],
    ['SERVICE_UNAVAILABLE_AT_LOCATION', { location: { address: '1 Duval Street', city: 'Key West', state: 'FL', zip: '33040' } }],
    ['INSUFFICIENT_BANDWIDTH', { customizations: { bandwidth: '10gbps' }, location: { ...LOCATION, city: 'Buffalo', zip: '14202' } }],
  ])(
    'a provisioning request that cannot be fulfilled returns 400 %s, even if the request has a future date or no account',
    async (code, wrong) => {
      for (const more of [{}, { account_id: accountId }, { deployment_schedule: { preferred_date: inDays(3) } }]) {
        const { status, body } = await requestProvisioning(tenant, provisioningRequest({ ...wrong, ...more }));
        expect([status, body.error.code]).toEqual([400, code]);
      }
    },
  );

  test('a provisioning request returns 404 for an unknown account and 409 ACCOUNT_SUSPENDED for a suspended account', async () => {
    const absent = await requestProvisioning(tenant, provisioningRequest({ account_id: 'acc_00000000000000000000000000' }));
    expect([absent.status, absent.body.error.details.resource]).toEqual([404, 'account']);
    const account = await newAccount();
    await tenant.rest('PUT', `/accounts/${account}`, { body: { status: 'suspended' } });
    const suspended = await requestProvisioning(tenant, completeRequest(account));
    expect([suspended.status, suspended.body.error.code]).toEqual([409, 'ACCOUNT_SUSPENDED']);
  });

  test('a rejected provisioning request is not stored, and a rejected update does not change the request', async () => {
    const own = await tenantWithAccount();
    await requestProvisioning(own.tenant, completeRequest(own.accountId, { sla: 'platinum' }));
    expect((await own.tenant.rest('GET', '/services/provision')).body.data).toEqual([]);
    expect((await own.tenant.rest('GET', '/services')).body.data).toEqual([]);

    const taken = await requested(own.tenant, provisioningRequest());
    const body = { account_id: own.accountId, location: LOCATION, customizations: { bandwidth: '700mbps' } };
    expect((await own.tenant.rest('PUT', `/services/provision/${taken.id}`, { body })).status).toBe(400);
    expect(await readRequest(own.tenant, taken.id)).toEqual(taken);
  });

  test.each(['service_template', 'customizations', 'billing_cycle'])(
    'setting %s of a provisioning request to null returns 400 and names the field',
    async (field) => {
      const { id } = await requested(tenant, provisioningRequest());
      const { status, body } = await change(id, { [field]: null });
      expect([status, body.error.details.field]).toEqual([400, field]);
    },
  );
});
