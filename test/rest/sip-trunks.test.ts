import { beforeAll, describe, expect, test } from 'vitest';
import { settledRecord, tenantWithAccount } from '../services.setup.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  ({ tenant } = await tenantWithAccount());
});

const order = (configuration: object): Promise<RestResponse> =>
  tenant.rest('POST', '/services', { body: { catalog_id: 'sip_trunking', configuration } });
const settled = (id: string): Promise<Json> =>
  settledRecord(
    async () => (await tenant.rest('GET', `/services/${id}`)).body.data,
    ({ status }) => status === 'operational',
  );
const trunk = async (channels: number): Promise<Json> => settled((await order({ channels })).body.data.id);
const scale = (id: string, body: object): Promise<RestResponse> => tenant.rest('PUT', `/services/${id}/scaling`, { body });

describe('SIP trunks, a product without operations of its own', () => {
  test('a SIP trunk ordered with POST /services is priced by channel, and GraphQL returns its channels and codec', async () => {
    const { status, body } = await order({ channels: 10, codec: 'g729' });
    expect([status, body.data]).toMatchObject([201, { type: 'sip_trunk', monthly_price: 149.5 }]);
    const { id } = await settled(body.data.id);
    const query = `query ($id: ID!) {
      sipTrunk(id: $id) { channels codec service { type } }
      sipTrunks { nodes { id } }
      service(id: $id) { detail { ... on SipTrunk { channels } } }
    }`;
    expect((await tenant.graphql(query, { id })).data).toEqual({
      sipTrunk: { channels: 10, codec: 'G729', service: { type: 'SIP_TRUNK' } },
      sipTrunks: { nodes: [{ id }] },
      service: { detail: { channels: 10 } },
    });
  });

  test('ordering a SIP trunk with several invalid settings returns 400 with all of them', async () => {
    const { status, body } = await order({ channels: 0, codec: 'mp3', color: 'red' });
    expect([status, body.error.details.errors.map(({ field }: Json) => field).sort()]).toEqual([
      400,
      ['configuration.channels', 'configuration.codec', 'configuration.color'],
    ]);
  });

  test('scaling a SIP trunk changes its number of channels and its monthly price', async () => {
    const { id } = await trunk(10);
    expect((await scale(id, { scaling_action: 'scale_up', new_size: 25 })).status).toBe(200);
    expect(await settled(id)).toMatchObject({ configuration: { channels: 25 }, monthly_price: 373.75 });
  });

  test.each([
    [{ scaling_action: 'scale_up', new_size: 10 }, 'new_size', 'must be more than 10'],
    [{ scaling_action: 'scale_down', new_size: 11 }, 'new_size', 'must be less than 10'],
    [{ scaling_action: 'scale_up', new_size: 1001 }, 'new_size', 'must be 1 to 1000'],
    [{ scaling_action: 'scale_up', new_bandwidth: '1gbps' }, 'new_bandwidth', 'is not a size of this service'],
  ])('scaling a SIP trunk of 10 channels with the request %j returns an error for the field %s', async (body, field, reason) => {
    const { id } = await trunk(10);
    expect((await scale(id, body)).body.error.details.errors).toEqual([expect.objectContaining({ field, reason })]);
  });
});
