import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { createAccount } from '../billing.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { makeRule, problems, ruleOf } from './routing.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

describe('routing of new tickets', () => {
  test('a new ticket is assigned to the agent of the first matching active rule, and its routingRule field contains this rule', async () => {
    const tenant = await platform.organization();
    const { agent_id: security } = (await openTicket(tenant, { category: 'security' })).assigned_to;
    const { agent_id: voice } = (await openTicket(tenant, { category: 'voice' })).assigned_to;
    const outage = { conditions: { keywords: ['outage'] } };
    await makeRule(tenant, { rule_name: 'Inactive', ...outage, actions: { assign_to: voice }, active: false });
    const first = await makeRule(tenant, { rule_name: 'First', ...outage, actions: { assign_to: security } });
    const second = await makeRule(tenant, { rule_name: 'Second', actions: { assign_to: voice } });

    const matched = await openTicket(tenant, { title: 'Total outage', category: 'connectivity' });
    expect(matched.assigned_to.agent_id).toBe(security);
    expect(await ruleOf(tenant, matched)).toEqual({ id: first.id, ruleName: 'First' });
    const other = await openTicket(tenant, { category: 'connectivity' });
    expect(other.assigned_to.agent_id).toBe(voice);
    expect(await ruleOf(tenant, other)).toMatchObject({ ruleName: 'Second' });

    await tenant.rest('PUT', `/support/routing-rules/${second.id}`, { body: { position: 1 } });
    expect(await ruleOf(tenant, await openTicket(tenant, { title: 'Total outage' }))).toMatchObject({ ruleName: 'Second' });
    expect(await ruleOf(tenant, matched)).toMatchObject({ ruleName: 'First' });
    await tenant.rest('DELETE', `/support/routing-rules/${first.id}`);
    expect(await ruleOf(tenant, matched)).toBeNull();
    expect((await tenant.rest('GET', `/support/tickets/${matched.id}`)).body.ticket.assigned_to.agent_id).toBe(security);
  });

  test('a new ticket is assigned to the default desk of its category if the agent of its routing rule is deactivated', async () => {
    const tenant = await platform.organization();
    const voice = (await openTicket(tenant, { category: 'voice' })).assigned_to.agent_id;
    await makeRule(tenant, { rule_name: 'Gone', actions: { assign_to: voice } });
    expect((await openTicket(tenant, { category: 'billing' })).assigned_to.agent_id).toBe(voice);
    expect((await tenant.rest('DELETE', `/support/agents/${voice}`)).status).toBe(200);
    const ticket = await openTicket(tenant, { category: 'billing' });
    expect(ticket.assigned_to.specialization).toBe('billing');
    expect(await ruleOf(tenant, ticket)).toMatchObject({ ruleName: 'Gone' });
  });

  test('a new ticket that matches no routing rule is assigned to the default desk of its category', async () => {
    const tenant = await platform.organization();
    const { agent_id: voice } = (await openTicket(tenant, { category: 'voice' })).assigned_to;
    await makeRule(tenant, { conditions: { priority: ['critical'] }, actions: { assign_to: voice } });
    const ticket = await openTicket(tenant, { category: 'billing' });
    expect(ticket.assigned_to.specialization).toBe('billing');
    expect(await ruleOf(tenant, ticket)).toBeNull();
  });

  test('a routing rule matches a new ticket only if all its conditions are met', async () => {
    const tenant = await platform.organization({ plan: 'enterprise' });
    const conditions = {
      category: 'connectivity',
      priority: ['high', 'critical'],
      keywords: ['Outage', 'no dial tone'],
      customer_tier: 'enterprise',
    };
    await makeRule(tenant, { conditions });
    const fitting = { category: 'connectivity', priority: 'high', title: 'Total OUTAGE', description: 'Help.' };
    const isMatched = async (ticket: object) => (await ruleOf(tenant, await openTicket(tenant, { ...fitting, ...ticket }))) !== null;
    expect(await isMatched({})).toBe(true);
    expect(await isMatched({ priority: 'critical', title: 'Phones', description: 'There is no dial-tone' })).toBe(true);
    expect(await isMatched({ category: 'voice' })).toBe(false);
    expect(await isMatched({ priority: 'medium' })).toBe(false);
    expect(await isMatched({ title: 'Total outages', description: 'no dial, tone' })).toBe(true);
    expect(await isMatched({ title: 'Total outages', description: 'no dial a tone' })).toBe(false);
    expect(await isMatched({ title: 'We ran out', description: 'of dial tone, no' })).toBe(false);
  });

  test("the routing condition customer_tier is compared with the account's tier, or else with the organization's plan", async () => {
    const tenant = await platform.organization({ plan: 'business' });
    const gold = await createAccount(tenant, 'Gold');
    const plain = await createAccount(tenant, 'Plain');
    const set = await tenant.rest('PUT', `/accounts/${gold.id}`, { body: { tier: 'gold' } });
    expect(set.body.data.tier).toBe('gold');
    expect(problems(await tenant.rest('PUT', `/accounts/${gold.id}`, { body: { tier: 'Gold!' } }))).toEqual([
      400,
      'INVALID_PARAMETERS',
      ['tier'],
    ]);
    await makeRule(tenant, { rule_name: 'Gold', conditions: { customer_tier: 'gold' } });
    await makeRule(tenant, { rule_name: 'Business', conditions: { customer_tier: 'business' } });
    const ruleFor = async (ticket: object) => (await ruleOf(tenant, await openTicket(tenant, ticket)))?.ruleName;
    expect(await ruleFor({ customer_id: gold.customer_id })).toBe('Gold');
    expect(await ruleFor({ customer_id: plain.customer_id })).toBe('Business');
    expect(await ruleFor({})).toBe('Business');
  });

  test('of three rules with 200 keywords each, the rule with a keyword at the end of a 20,000-character ticket is applied', async () => {
    const tenant = await platform.organization();
    for (const n of [1, 2, 3]) {
      const keywords = Array.from({ length: 200 }, (_, k) => `${'down '.repeat(k % 20)}never${n}x${k}`.slice(-100));
      await makeRule(tenant, { rule_name: `R${n}`, conditions: { keywords: n === 3 ? [...keywords.slice(1), 'the very end'] : keywords } });
    }
    const ticket = await openTicket(tenant, { description: `${'down '.repeat(3_990)}the very end` });
    expect(await ruleOf(tenant, ticket)).toMatchObject({ ruleName: 'R3' });
  });

  test('a routing rule notifies each of its recipients once about a new ticket', async () => {
    const tenant = await platform.organization();
    const notify = [0, 1].map(() => `${newId('user').toLowerCase()}@example.com`);
    await makeRule(tenant, { rule_name: 'Night <shift>', actions: { notify: [...notify, ...notify] } });
    const ticket = await openTicket(tenant, { title: 'Router <b>lost</b>', priority: 'high' });
    const mails = await eventually(() => {
      const found = platform.mails.filter(({ to }) => notify.includes(to));
      return found.length === 2 && found;
    });
    for (const mail of mails) {
      expect(mail.subject).toContain(ticket.number);
      for (const part of ['Night <shift>', 'Router <b>lost</b>', 'high', ticket.urls.customer_portal]) expect(mail.text).toContain(part);
      expect(mail.html).toContain('Night &lt;shift&gt;');
    }
    const { body } = await tenant.rest('GET', `/support/tickets/${ticket.id}/notifications`);
    expect(body.data.map(({ template, recipients }: Json) => [template, recipients.length])).toEqual([['ticket_routed', 2]]);
  });

  test('recipients of a routing rule beyond the limit of the plan are not notified, and the ticket is still opened', async () => {
    const tenant = await platform.organization({ plan: 'developer' });
    const notify = (count: number) => Array.from({ length: count }, () => `${newId('user').toLowerCase()}@example.com`);
    const ticket = await openTicket(tenant);
    const many = { type: 'email', recipients: notify(49).map((email) => ({ email })) };
    for (const _ of [1, 2]) expect((await tenant.rest('POST', `/support/tickets/${ticket.id}/notify`, { body: many })).status).toBe(201);
    await makeRule(tenant, { actions: { notify: notify(3) } });
    const routed = await openTicket(tenant);
    const { body } = await tenant.rest('GET', `/support/tickets/${routed.id}/notifications`);
    const refused = body.data[0].recipients.filter(({ last_error }: Json) => /recipients per hour is reached/.test(last_error ?? ''));
    expect(refused).toMatchObject([{ status: 'failed', attempts: 0 }]);
  });

  test('a new ticket is assigned to the default desk of its category if the agent of its routing rule no longer exists', async () => {
    const tenant = await platform.organization();
    const { agent_id } = (await openTicket(tenant, { category: 'voice' })).assigned_to;
    const rule = await makeRule(tenant, { actions: { assign_to: agent_id } });
    await (await rows()).query('delete from support.agent where id = $1', [agent_id]);
    const ticket = await openTicket(tenant, { category: 'billing' });
    expect(ticket.assigned_to.specialization).toBe('billing');
    expect(await ruleOf(tenant, ticket)).toMatchObject({ id: rule.id });
  });
});
