import { beforeAll, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';

const MAX_BYTES = 16 * 1024;
/** This letter has two bytes in UTF-8. It shows that the limit counts bytes and not characters. */
const LETTER = 'é';
const AROUND = Buffer.byteLength(JSON.stringify({ text: '' }));
const objectOf = (bytes: number): object => ({
  text: `${LETTER.repeat(Math.floor((bytes - AROUND) / 2))}${(bytes - AROUND) % 2 ? 'x' : ''}`,
});

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization();
});

const account = { name: 'Hudson', email: 'it@hudson.example' };
const ticket = { title: 'Line is down', description: 'Since 9:30.' };
const onTicket = async (method: string, path: string, body: object): Promise<RestResponse> => {
  const { id } = await openTicket(tenant);
  return tenant.rest(method, `/support/tickets/${id}${path}`, { body });
};

/** A request for each free-form input field. The key is the input class and its field. */
const INPUTS: Record<string, (value: object) => Promise<RestResponse>> = {
  'AccountCreateInput.metadata': (metadata) => tenant.rest('POST', '/accounts', { body: { ...account, metadata } }),
  'AccountUpdateInput.metadata': async (metadata) => {
    const { id } = (await tenant.rest('POST', '/accounts', { body: account })).body.data;
    return tenant.rest('PUT', `/accounts/${id}`, { body: { metadata } });
  },
  'TicketCreateInput.metadata': (metadata) => tenant.rest('POST', '/support/tickets', { body: { ...ticket, metadata } }),
  'TicketUpdateInput.metadata': (metadata) => onTicket('PUT', '', { metadata }),
  'CommentCreateInput.metadata': (metadata) => onTicket('POST', '/comments', { content: 'On it', metadata }),
  'EscalationInput.metadata': (metadata) => onTicket('POST', '/escalate', { escalation_level: 1, metadata }),
  'NotificationInput.variables': (variables) =>
    onTicket('POST', '/notify', { type: 'email', recipients: [{ email: 'ada@example.com' }], template: 'ticket_update', variables }),
};

/** JSON fields that are not free-form. A validation rule or the product of the service limits their contents. */
const CHECKED = [
  'BulkChangeInput.configuration',
  'BulkChangeInput.features',
  'BulkServiceChangeInput.configuration',
  'BulkServiceChangeInput.features',
  'BulkServiceInput.customizations',
  'CatalogOrderInput.configuration',
  'ProvisioningCustomizationsInput.monitoring',
  'ProvisioningRequestInput.options',
  'ProvisioningRequestUpdateInput.options',
  'ServiceChangeInput.configuration',
  'ServiceChangeInput.features',
  'ServiceConfigurationInput.configuration',
  'ServiceFeaturesInput.features',
  'ServiceUpdateInput.configuration',
];

test.each(Object.entries(INPUTS))(
  'the free-form field %s accepts at most 16 KiB of JSON, and a larger value returns 400 INVALID_PARAMETERS',
  async (input, send) => {
    const [, member] = input.split('.');
    const refused = await send(objectOf(MAX_BYTES + 1));
    expect([refused.status, refused.body.error]).toMatchObject([
      400,
      { code: 'INVALID_PARAMETERS', details: { field: member, reason: 'must have at most 16 KiB as JSON' } },
    ]);
    if (member !== 'metadata') return;
    const taken = await send(objectOf(MAX_BYTES));
    expect(taken.status, JSON.stringify(taken.body)).toBeLessThan(300);
  },
);

test('the list of requests in this test covers every free-form field of the GraphQL inputs', async () => {
  const query = '{ __schema { types { name inputFields { name type { name ofType { name } } } } } }';
  const { data } = await tenant.graphql(query);
  const members = data.__schema.types.flatMap(({ name, inputFields }: Json) =>
    (inputFields ?? [])
      .filter(({ type }: Json) => [type.name, type.ofType?.name].some((of) => of === 'JSONObject' || of === 'JSON'))
      .map((field: Json) => `${name}.${field.name}`),
  );
  expect(members.toSorted()).toEqual([...Object.keys(INPUTS), ...CHECKED].toSorted());
});
