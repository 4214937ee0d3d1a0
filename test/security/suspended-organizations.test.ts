import { beforeAll, describe, expect, test } from 'vitest';
import { Principal } from '../../kernel/access/principal.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { newId } from '../../kernel/records/ids.ts';
import { receiver } from '../events/receiver.ts';
import { subscribe } from '../events/webhooks.setup.ts';
import { withSlack } from '../integrations/integrations.setup.ts';
import { form, own, registered } from '../oauth.setup.ts';
import { operator } from '../operator.setup.ts';
import { eventually, rig } from '../rig.ts';
import { slackServer } from '../support/slack.server.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';
import { login, userOf } from '../users.setup.ts';

let platform: Tenant;
beforeAll(async () => {
  platform = await operator();
});

const act = (what: 'suspend' | 'resume', { organizationId }: Tenant, body?: Json): Promise<RestResponse> =>
  platform.rest('POST', `/operator/organizations/${organizationId}/${what}`, { body });

const REFUSED = { error: { code: 'ORGANIZATION_SUSPENDED', message: expect.stringContaining('operator of the platform') } };
const expectRefused = ({ status, body }: RestResponse): void => {
  expect(body).toMatchObject(REFUSED);
  expect(status).toBe(403);
};

describe('suspended organizations', () => {
  test('all credentials of a suspended organization get 403 ORGANIZATION_SUSPENDED until the organization is resumed', async () => {
    const tenant = await (await rig()).organization();
    const user = await userOf(tenant);
    const client = await registered(tenant);
    const ask = () => form(tenant.origin, '/oauth/token', { grant_type: 'client_credentials', ...own(client) });
    const { body: token } = await ask();
    const program = new Tenant(tenant.origin, tenant.organizationId, token.access_token);
    const callers = [tenant, user, program];
    for (const caller of callers) expect((await caller.rest('GET', '/auth/verify')).status).toBe(200);

    const suspended = await act('suspend', tenant, { reason: 'Three invoices are unpaid' });
    expect(suspended.body.data).toMatchObject({ status: 'suspended', suspended_at: expect.any(String) });
    for (const caller of callers) {
      expectRefused(await caller.rest('GET', '/auth/verify'));
      expect((await caller.graphql('{ callerIdentity { id } }')) as Json).toMatchObject(overGraphql);
    }
    expect((await ask()).body).toMatchObject({ error: 'invalid_client' });

    expect((await act('resume', tenant)).body.data).toMatchObject({ status: 'active', suspended_at: null });
    for (const caller of callers) expect((await caller.rest('GET', '/auth/verify')).status).toBe(200);
    expect((await ask()).status).toBe(200);
    const { body } = await tenant.rest('GET', '/auth/audit?event_type=organization_suspended');
    expect(body.data).toMatchObject([{ user_id: null, client_id: null, reason: 'by the operator; Three invoices are unpaid' }]);
  });

  test('a login returns ORGANIZATION_SUSPENDED only with the correct password, and sessions continue after the suspension', async () => {
    const tenant = await (await rig()).organization();
    const user = await userOf(tenant);
    await act('suspend', tenant);
    expectRefused(await login(tenant, user.email));
    expect((await login(tenant, user.email, 'not the password')).body.error.code).toBe('INVALID_CREDENTIALS');
    const refresh = () =>
      tenant.rest('POST', '/auth/refresh', { body: { refresh_token: user.tokens.refresh_token }, headers: { authorization: '' } });
    expectRefused(await refresh());
    await act('resume', tenant);
    expect((await refresh()).status).toBe(200);
  });

  test('open sockets of an organization are closed with 4403 when the organization is suspended', async () => {
    const tenant = await (await rig()).organization();
    const client = tenant.socket();
    try {
      const ended = client
        .iterate({ query: 'subscription { events { id } }' })
        .next()
        .then(
          () => undefined,
          ({ code }: { code: number }) => code,
        );
      await client.iterate({ query: '{ callerIdentity { id } }' }).next();
      await act('suspend', tenant);
      expect(await ended).toBe(4403);
    } finally {
      await client.dispose();
    }
  });

  test('webhook deliveries wait while their organization is suspended, and are then sent in the order of their events', async () => {
    const { advance, assembly, clock } = await rig();
    const tenant = await (await rig()).organization();
    const { url, arrivals } = await receiver();
    const webhook = await subscribe(tenant, { url, events: ['ticket.created'] });
    await act('suspend', tenant);
    for (const title of ['first', 'second', 'third']) await openedBySystem(tenant, title);
    const { rows } = assembly.domains.identity.core.ports;
    await eventually(async () => {
      const [row] = await rows.query<{ due_at: Date | string | null; lane_until: Date | null }>(
        'select "due_at", "lane_until" from "events"."webhook" where "id" = $1',
        [webhook.id],
      );
      return row?.due_at && !row.lane_until && new Date(row.due_at) > clock.now();
    });
    expect(arrivals).toEqual([]);
    await act('resume', tenant);
    await advance(10_000);
    await eventually(() => arrivals.length === 3);
    expect(arrivals.map(({ event }) => event.data.ticket.title)).toEqual(['first', 'second', 'third']);
  });
});

test('Slack messages of a suspended organization are not sent until the organization is resumed', async () => {
  const { advance, assembly } = await rig();
  const [tenant, slack] = [await (await rig()).organization(), await slackServer()];
  const { id } = await withSlack(tenant, slack, { events: ['ticket.created'], message_format: { template: '{{ticket.title}}' } });
  await act('suspend', tenant);
  await openedBySystem(tenant, 'first');
  const { rows } = assembly.domains.identity.core.ports;
  // wait until the Slack job is postponed
  await eventually(async () => {
    const jobs = `select 1 from pgboss.job where name = 'support.slack' and data->>'integrationId' = $1 and state = 'created' and start_after > pgboss.job_now()`;
    return (await rows.query(jobs, [id])).length > 0;
  });
  expect(slack.requests).toBe(0);
  await act('resume', tenant);
  await advance(10_000);
  await eventually(() => slack.posted.length > 0);
  expect(slack.posted.map(({ section }) => section)).toEqual(['first']);
});

describe('operator actions', () => {
  test("suspending a suspended organization, resuming an active one or suspending the operator's own organization returns 409", async () => {
    const tenant = await (await rig()).organization();
    expect((await act('resume', tenant)).body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: 'active', to: 'active' } });
    await act('suspend', tenant);
    expect((await act('suspend', tenant)).body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: 'suspended' } });
    expect((await act('suspend', platform)).status).toBe(409);
    expect((await platform.rest('GET', '/operator/organizations?status=suspended')).body.data.map(({ id }: Json) => id)).toContain(
      tenant.organizationId,
    );
  });
});

const overGraphql = { errors: [{ extensions: { code: 'ORGANIZATION_SUSPENDED' } }] };

/** Creates a ticket as the platform's background work would, without a caller. */
async function openedBySystem({ organizationId }: Tenant, title: string): Promise<void> {
  const { router } = (await rig()).assembly;
  const document = 'mutation ($input: TicketCreateInput!) { createTicket(input: $input) { id } }';
  const context = {
    requestId: newId('request'),
    principal: Principal.system('test', organizationId),
    log: createLogger({ level: 'silent' }),
  };
  const { errors } = await router.execute({ document, variables: { input: { title, description: title } }, context });
  expect(errors).toBeUndefined();
}
