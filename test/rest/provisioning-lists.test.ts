import { parse } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { Principal } from '../../kernel/access/principal.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { createAccount, LOCATION } from '../billing.setup.ts';
import { completeRequest, provisioningRequest, readRequest, requested, requestThatIs } from '../provisioning.setup.ts';
import { eventually, rig } from '../rig.ts';
import { tenantWithAccount } from '../services.setup.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

describe('provisioning request list', () => {
  test('the provisioning request list is sorted newest first and can be filtered by status and account', async () => {
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

  test('listing four provisioning requests with accounts and services runs as many SQL statements as listing one', async () => {
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
      // wait for the effects of the service before statements are counted
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

describe('provisioning requests over GraphQL', () => {
  const ASK =
    'mutation($input: ProvisioningRequestInput!) { requestProvisioning(input: $input) { id status account { name } service { name } } }';
  const input = (more: object = {}) => ({ serviceTemplate: 'business_fiber', customizations: { bandwidth: '500mbps' }, ...more });

  test('GraphQL returns a new provisioning request with its account and service', async () => {
    const { data, errors } = await tenant.graphql(ASK, { input: input({ accountId, location: LOCATION, name: 'Annex' }) });
    expect(errors).toBeUndefined();
    expect(data.requestProvisioning).toMatchObject({
      status: 'ACKNOWLEDGED',
      account: { name: 'Acme Corporation' },
      service: { name: 'Annex' },
    });
  });

  test('GraphQL accepts true or the name of a level as a literal for monitoring, and refuses other values', async () => {
    const asked = (monitoring: string): Promise<Json> =>
      tenant.graphql(
        `mutation { requestProvisioning(input: { serviceTemplate: "business_fiber", customizations: { bandwidth: "1gbps", monitoring: ${monitoring} } }) { customizations { monitoring } } }`,
      );
    expect((await asked('"advanced"')).data.requestProvisioning.customizations).toEqual({ monitoring: 'advanced' });
    expect((await asked('true')).data.requestProvisioning.customizations).toEqual({ monitoring: true });
    for (const refused of ['{ level: "advanced" }', 'ADVANCED', '1', 'null', '"gold"'])
      expect((await asked(refused)).errors).toHaveLength(1);
  });

  test('a provisioning request can be created, changed and cancelled over GraphQL', async () => {
    const { data } = await tenant.graphql(ASK, { input: input() });
    const { id } = data.requestProvisioning;
    expect(data.requestProvisioning).toEqual({ id, status: 'PENDING', account: { name: expect.any(String) }, service: null });
    const changed = await tenant.graphql(
      'mutation($id: ID!) { updateProvisioningRequest(id: $id, input: { name: "Annex", billingCycle: ANNUAL }) { name billingCycle missing } }',
      { id },
    );
    expect(changed.data.updateProvisioningRequest).toEqual({ name: 'Annex', billingCycle: 'ANNUAL', missing: ['LOCATION'] });
    const cancelled = await tenant.graphql('mutation($id: ID!) { cancelProvisioningRequest(id: $id) { history { from to } } }', { id });
    expect(cancelled.data.cancelProvisioningRequest.history).toEqual([
      { from: null, to: 'PENDING' },
      { from: 'PENDING', to: 'CANCELLED' },
    ]);
  });

  test('changing provisioning requests without a required second factor returns MFA_REQUIRED, and reading them is allowed', async () => {
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
    const argument = 'input: { serviceTemplate: "business_fiber", customizations: { bandwidth: "1gbps" } }';
    expect(await codeOf(`mutation { requestProvisioning(${argument}) { id } }`)).toBe('MFA_REQUIRED');
    expect(await codeOf(`mutation { updateProvisioningRequest(id: "${id}", input: { name: "Annex" }) { id } }`)).toBe('MFA_REQUIRED');
    expect(await codeOf(`mutation { cancelProvisioningRequest(id: "${id}") { id } }`)).toBe('MFA_REQUIRED');
    expect(await codeOf(`{ provisioningRequest(id: "${id}") { id } }`)).toBeUndefined();
    expect(await readRequest(tenant, id)).toMatchObject({ status: 'pending', name: null });
  });
});
