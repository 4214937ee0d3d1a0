import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { makeRule, postRule, problems, ruleOf } from './routing.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const names = async (tenant: Tenant): Promise<string[]> =>
  (await tenant.rest('GET', '/support/routing-rules')).body.data.map(({ rule_name, position }: Json) => `${position} ${rule_name}`);

describe('routing rules', () => {
  test('a routing rule with every field of the specification can be created, read, changed and deleted', async () => {
    const tenant = await platform.organization();
    const { agent_id } = (await openTicket(tenant)).assigned_to;
    const rule = {
      rule_name: 'Outages',
      conditions: { category: 'connectivity', priority: ['high', 'critical'], keywords: ['outage'], customer_tier: 'enterprise' },
      actions: { assign_to: agent_id, notify: ['noc@example.com'], escalate_after: '30_minutes', auto_update_frequency: '15_minutes' },
      active: true,
    };
    const made = await makeRule(tenant, rule);
    expect(made).toEqual({
      id: expect.stringMatching(/^rule_/),
      position: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      ...rule,
    });
    const path = `/support/routing-rules/${made.id}`;
    expect((await tenant.rest('GET', path)).body.data).toEqual(made);

    const changed = await tenant.rest('PUT', path, { body: { active: false, conditions: { keywords: ['a', 'a'] } } });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    const conditions = { category: null, priority: [], keywords: ['a'], customer_tier: null };
    expect(changed.body.data).toMatchObject({ ...rule, active: false, conditions });

    expect((await tenant.rest('DELETE', path)).body.data).toMatchObject({ id: made.id, rule_name: 'Outages' });
    expect((await tenant.rest('GET', path)).status).toBe(404);
    expect(await names(tenant)).toEqual([]);
  });

  test.each([
    ['no name and no actions', { rule_name: undefined, actions: undefined }, ['rule_name', 'actions']],
    ['a blank name', { rule_name: ' ' }, ['rule_name']],
    ['no actions', { actions: {} }, ['actions']],
    ['empty actions', { actions: { notify: [], assign_to: null } }, ['actions']],
    ['an unknown category', { conditions: { category: 'plumbing' } }, ['conditions.category']],
    ['an unknown priority', { conditions: { priority: ['urgent'] } }, ['conditions.priority.0']],
    ['keywords without a word', { conditions: { keywords: ['ok', '!?'] } }, ['conditions.keywords']],
    ['too many keywords', { conditions: { keywords: Array.from({ length: 201 }, (_, n) => `k${n}`) } }, ['conditions.keywords']],
    ['a keyword that is too long', { conditions: { keywords: ['x'.repeat(101)] } }, ['conditions.keywords']],
    ['an invalid tier', { conditions: { customer_tier: 'Very Important' } }, ['conditions.customer_tier']],
    ['invalid email addresses', { actions: { notify: ['noc@example.com', 'nobody'] } }, ['actions.notify']],
    ['too many addresses', { actions: { notify: Array.from({ length: 21 }, (_, n) => `a${n}@example.com`) } }, ['actions.notify']],
    [
      'invalid durations',
      { actions: { escalate_after: 'soon', auto_update_frequency: '0_minutes' } },
      ['actions.escalate_after', 'actions.auto_update_frequency'],
    ],
    [
      'durations out of range',
      { actions: { escalate_after: '30_seconds', auto_update_frequency: '13_months' } },
      ['actions.escalate_after', 'actions.auto_update_frequency'],
    ],
    ['an invalid position', { position: 0 }, ['position']],
    ['unknown fields', { if: 1, conditions: { tags: [] } }, ['if', 'conditions.tags']],
  ])('creating a routing rule with %s returns 400 INVALID_PARAMETERS and names each field', async (_, rule, fields) => {
    const tenant = await platform.organization();
    expect(problems(await postRule(tenant, rule))).toEqual([400, 'INVALID_PARAMETERS', expect.arrayContaining(fields)]);
    expect(await names(tenant)).toEqual([]);
  });

  test('a routing rule that assigns to an unknown agent or an agent of another organization returns 404', async () => {
    const [tenant, stranger] = [await platform.organization(), await platform.organization()];
    const { agent_id } = (await openTicket(stranger)).assigned_to;
    const rule = await makeRule(tenant);
    for (const assign_to of [agent_id, 'agent_01JQ8Z6V4T9M3N2B1C0D9E8F7G', 'connectivity']) {
      const responses = [
        await postRule(tenant, { actions: { assign_to } }),
        await tenant.rest('PUT', `/support/routing-rules/${rule.id}`, { body: { actions: { assign_to } } }),
      ];
      for (const { status, body } of responses) expect([status, body.error.details]).toEqual([404, { resource: 'agent', id: assign_to }]);
    }
    expect(await names(tenant)).toEqual(['1 A rule']);
  });

  test('creating a routing rule returns 409 INVALID_STATE if the organization already has 100 rules', async () => {
    const tenant = await platform.organization();
    const { id } = await makeRule(tenant);
    await (await rows()).query(
      `insert into support.routing_rule select (jsonb_populate_record(r, jsonb_build_object('id', id || n, 'position', n))).*
       from support.routing_rule r, generate_series(2, 100) n where id = $1`,
      [id],
    );
    const refused = await postRule(tenant);
    expect([refused.status, refused.body.error.code, refused.body.error.details]).toEqual([409, 'INVALID_STATE', { limit: 100 }]);
  });
});

describe('order of routing rules', () => {
  test('positions of routing rules have no gaps after rules are inserted, moved and deleted', async () => {
    const tenant = await platform.organization();
    const ids: Record<string, string> = {};
    for (const rule_name of ['A', 'B', 'C']) ids[rule_name] = (await makeRule(tenant, { rule_name })).id;
    await makeRule(tenant, { rule_name: 'First', position: 1 });
    await makeRule(tenant, { rule_name: 'Last', position: 99 });
    expect(await names(tenant)).toEqual(['1 First', '2 A', '3 B', '4 C', '5 Last']);

    const move = (name: string, position: number) => tenant.rest('PUT', `/support/routing-rules/${ids[name]}`, { body: { position } });
    expect((await move('C', 2)).body.data.position).toBe(2);
    expect(await names(tenant)).toEqual(['1 First', '2 C', '3 A', '4 B', '5 Last']);
    await move('A', 99);
    expect(await names(tenant)).toEqual(['1 First', '2 C', '3 B', '4 Last', '5 A']);
    await tenant.rest('DELETE', `/support/routing-rules/${ids.C}`);
    expect(await names(tenant)).toEqual(['1 First', '2 B', '3 Last', '4 A']);
  });

  test('positions of routing rules have no gaps after concurrent changes', async () => {
    const tenant = await platform.organization();
    const made = await Promise.all(Array.from({ length: 6 }, (_, n) => makeRule(tenant, { rule_name: `R${n}`, position: 1 })));
    const [first, second, ...others] = made.map(({ id }) => `/support/routing-rules/${id}`);
    await Promise.all([
      ...others.map((path, n) => tenant.rest('PUT', path, { body: { position: n + 1 } })),
      tenant.rest('DELETE', first ?? ''),
      makeRule(tenant, { rule_name: 'New', position: 2 }),
      tenant.rest('PUT', second ?? '', { body: { rule_name: 'Renamed' } }),
    ]);
    const listed = await names(tenant);
    expect(listed.map((name) => Number(name.split(' ')[0]))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(new Set(listed.map((name) => name.split(' ')[1])).size).toBe(6);
    expect(listed.join()).toMatch(/New.*Renamed|Renamed.*New/);
  });
});

describe('access to routing rules', () => {
  test('changing routing rules requires support:admin, reading them requires support:write, and other callers receive 403', async () => {
    const tenant = await platform.organization();
    const rule = await makeRule(tenant);
    const ticket = await openTicket(tenant);
    const path = `/support/routing-rules/${rule.id}`;
    const statuses = async (caller: Tenant) =>
      Promise.all(
        [
          caller.rest('GET', '/support/routing-rules'),
          caller.rest('GET', path),
          postRule(caller),
          caller.rest('PUT', path, { body: { active: true } }),
        ].map(async (response) => (await response).status),
      );
    const customer = await tenant.limitedTo('support:read', 'support:create');
    expect(await statuses(customer)).toEqual([403, 403, 403, 403]);
    expect(await statuses(await tenant.limitedTo('support:write'))).toEqual([200, 200, 403, 403]);
    expect(await statuses(await tenant.limitedTo('support:admin'))).toEqual([200, 200, 201, 200]);
    const seen = await customer.rest('GET', `/support/tickets/${ticket.id}`);
    expect(seen.status).toBe(200);
    expect(JSON.stringify(seen.body)).not.toContain(rule.id);
    const { errors } = await customer.graphql('query ($id: ID!) { ticket(id: $id) { routingRule { id } } }', { id: ticket.id });
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'support:write' } } }]);
  });

  test("reading or changing a routing rule of another organization returns 404, and the rule does not match the caller's tickets", async () => {
    const [tenant, stranger] = [await platform.organization(), await platform.organization()];
    const rule = await makeRule(tenant);
    const path = `/support/routing-rules/${rule.id}`;
    expect(await names(stranger)).toEqual([]);
    for (const [method, body] of [['GET'], ['PUT', { active: false }], ['DELETE']] as const)
      expect((await stranger.rest(method, path, { body })).status).toBe(404);
    expect(await ruleOf(stranger, await openTicket(stranger))).toBeNull();
    expect((await tenant.rest('GET', path)).body.data).toEqual(rule);
  });
});
