import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import { slaOf } from '../support/sla.setup.ts';
import type { Json, Tenant } from '../tenant.ts';
import { changeTicket as change, openTicket as open } from '../ticket.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

const listed = async (caller = tenant): Promise<Json[]> => {
  const { status, body } = await caller.rest('GET', '/support/categories');
  expect([status, Object.keys(body)]).toEqual([200, ['categories']]);
  return body.categories;
};
const category = async (id: string, caller = tenant): Promise<Json> => (await listed(caller)).find((one) => one.id === id);
const update = (id: string, body: object, caller = tenant) => caller.rest('PUT', `/support/categories/${id}`, { body });

describe('ticket categories', () => {
  test('GET /support/categories lists the default ticket categories with their service levels and subcategories', async () => {
    const categories = await listed();
    expect(categories.map(({ id }) => id)).toEqual(['general', 'connectivity', 'voice', 'cloud', 'security', 'ai', 'billing', 'account']);
    for (const one of categories) {
      expect(one).toMatchObject({ name: expect.any(String), description: expect.any(String), sla_tier: 'enterprise' });
      expect(one.sla).toEqual({
        response_time: expect.stringMatching(/^\d+ hours?$/),
        resolution_time: expect.stringMatching(/^\d+ hours?$/),
      });
      expect(one.targets.map(({ priority }: Json) => priority)).toEqual(['critical', 'high', 'medium', 'low']);
      expect(one.subcategories.length).toBeGreaterThan(2);
    }
    expect((await category('security')).subcategories[0]).toEqual({
      id: 'incident',
      name: 'Security incident',
      routing_rules: { auto_assign: true, escalation_threshold: '30 minutes' },
    });
  });

  test('a new ticket has the service level that is stated in its category', async () => {
    for (const id of ['general', 'security']) {
      const { sla } = await category(id);
      expect((await open(tenant, { category: id })).sla).toMatchObject(sla);
    }
  });

  test('the routing rules of ticket subcategories are null for callers without support:write', async () => {
    const customer = await tenant.limitedTo('support:read');
    const { subcategories } = await category('security', customer);
    expect(subcategories[0]).toEqual({ id: 'incident', name: 'Security incident', routing_rules: null });
  });

  test('an organization can change its ticket categories, and setting a field to null restores its default', async () => {
    const owner = await platform.organization();
    const before = await category('voice', owner);
    const subcategories = [{ id: 'fax', name: 'Fax', routing_rules: { auto_assign: false, escalation_threshold: '45_minutes' } }];
    const changed = await update('voice', { name: 'Telephony', subcategories }, owner);
    expect([changed.status, changed.body.data]).toMatchObject([
      200,
      { id: 'voice', name: 'Telephony', description: before.description, subcategories },
    ]);
    expect(await category('voice', owner)).toEqual(changed.body.data);
    expect((await category('voice')).name).toBe('Voice');

    const ticket = await open(owner, { category: 'voice', subcategory: 'fax' });
    const expected = Date.parse(ticket.created_at) + 45 * 60_000;
    expect(Date.parse((await slaOf(owner, ticket.id)).escalation.next_escalation)).toBe(expected);

    const both = await Promise.all([update('cloud', { name: 'Clouds' }, owner), update('cloud', { description: 'Rain' }, owner)]);
    expect(both.map((response) => response.status)).toEqual([200, 200]);
    expect(await category('cloud', owner)).toMatchObject({ name: 'Clouds', description: 'Rain' });

    await update('voice', { name: null, subcategories: null }, owner);
    expect(await category('voice', owner)).toEqual(before);
  });

  test('updating a ticket category with an invalid field returns 400 with the field, and an unknown category returns 404', async () => {
    const sub = (more: object) => ({ subcategories: [{ id: 'fax', name: 'Fax', ...more }] });
    const refused = async (body: object) => {
      const response = await update('voice', body);
      return [response.status, response.body.error?.details.field];
    };
    expect(await refused({ name: '' })).toEqual([400, 'name']);
    expect(await refused({ sla_policy_id: 'gold' })).toEqual([400, 'sla_policy_id']);
    expect(await refused(sub({ id: 'Fax machines' }))).toEqual([400, 'subcategories.0.id']);
    expect(await refused(sub({ routing_rules: { escalation_threshold: 'soon' } }))).toEqual([
      400,
      'subcategories.0.routing_rules.escalation_threshold',
    ]);
    expect(await refused({ subcategories: [...sub({}).subcategories, ...sub({}).subcategories] })).toEqual([400, 'subcategories.1.id']);
    expect(await refused({ title: 'typo' })).toEqual([400, 'title']);
    const unknown = await update('plumbing', { name: 'Plumbing' });
    expect([unknown.status, unknown.body.error.details]).toMatchObject([404, { resource: 'ticket_category', id: 'plumbing' }]);
  });
});

describe('ticket subcategories', () => {
  test('the subcategory of a ticket can be free text, but a subcategory of another category returns 400', async () => {
    expect((await open(tenant, { category: 'connectivity', subcategory: 'slow_speed' })).subcategory).toBe('slow_speed');
    expect((await open(tenant, { category: 'connectivity', subcategory: 'the cable is too short' })).subcategory).toBe(
      'the cable is too short',
    );
    const body = { title: 'No light', description: 'Since 9:30.', category: 'connectivity', subcategory: 'call_quality' };
    const refused = await tenant.rest('POST', '/support/tickets', { body });
    expect([refused.status, refused.body.error.details]).toMatchObject([
      400,
      { field: 'subcategory', value: 'call_quality', reason: expect.stringContaining('voice') },
    ]);
  });

  test('a new ticket is assigned to the least busy agent, or to the desk agent if its subcategory has auto_assign false', async () => {
    const owner = await platform.organization();
    const desk = (await open(owner, { category: 'billing' })).assigned_to.agent_id;
    const added = await owner.rest('POST', '/support/agents', {
      body: { name: 'Ada Diaz', email: 'ada@example.com', specialization: 'billing' },
    });
    const person = added.body.data.id;
    expect((await open(owner, { category: 'billing', subcategory: 'refund' })).assigned_to.agent_id).toBe(desk);
    expect((await open(owner, { category: 'billing', subcategory: 'invoice_question' })).assigned_to.agent_id).toBe(person);
  });
});

describe('support agents', () => {
  const add = async (caller: Tenant, body: object): Promise<Json> => {
    const response = await caller.rest('POST', '/support/agents', { body: { name: 'Ada Diaz', specialization: 'voice', ...body } });
    expect(response.status, JSON.stringify(response.body)).toBe(201);
    return response.body.data;
  };

  test('an agent can be created, listed and updated, and the GraphQL agent contains its tickets', async () => {
    const owner = await platform.organization();
    const agent = await add(owner, { email: 'ada@example.com' });
    expect(agent).toMatchObject({
      id: expect.stringMatching(/^agent_/),
      specialization: 'voice',
      active: true,
      desk: false,
    });
    const all = (await owner.rest('GET', '/support/agents')).body;
    expect(all.pagination.total).toBe(9);
    expect((await owner.rest('GET', '/support/agents?specialization=voice')).body.data.map(({ name }: Json) => name)).toEqual([
      'Ada Diaz',
      'Voice Desk',
    ]);
    const changed = await owner.rest('PUT', `/support/agents/${agent.id}`, { body: { name: 'Ada D.' } });
    expect([changed.status, changed.body.data]).toEqual([200, { ...agent, name: 'Ada D.' }]);

    await open(owner, { category: 'voice' });
    const { id } = await open(owner, { category: 'voice' });
    const query = 'query($id: ID!) { agent(id: $id) { name tickets { id agent { id } } } }';
    const { data } = await owner.graphql(query, { id: agent.id });
    expect(data.agent).toEqual({ name: 'Ada D.', tickets: [{ id, agent: { id: agent.id } }] });
  });

  test('a deactivated agent is assigned no new tickets, and deactivating the last active agent returns 409', async () => {
    const owner = await platform.organization();
    const agent = await add(owner, { email: 'ada@example.com' });
    const { id, assigned_to } = await open(owner, { category: 'voice' });
    const ended = await owner.rest('DELETE', `/support/agents/${assigned_to.agent_id}`);
    expect([ended.status, ended.body.data.active]).toEqual([200, false]);
    // existing tickets stay assigned to the deactivated agent
    expect((await owner.rest('GET', `/support/tickets/${id}`)).body.ticket.assigned_to.agent_id).toBe(assigned_to.agent_id);
    for (let count = 0; count < 2; count += 1) expect((await open(owner, { category: 'voice' })).assigned_to.agent_id).toBe(agent.id);
    const refused = await owner.rest('PUT', `/support/tickets/${id}`, { body: { assigned_to: assigned_to.agent_id } });
    expect([refused.status, refused.body.error.details.field]).toEqual([400, 'assigned_to']);
    expect((await change(owner, id, { assigned_to: agent.id })).assigned_to.agent_id).toBe(agent.id);

    // no voice agent is active, so an agent with the specialization `general` is assigned
    await owner.rest('DELETE', `/support/agents/${agent.id}`);
    expect((await open(owner, { category: 'voice' })).assigned_to.specialization).toBe('general');
    const { body } = await owner.rest('GET', '/support/agents?active=true');
    const ids: string[] = body.data.map((one: Json) => one.id);
    const responses = await Promise.all(ids.map((one) => owner.rest('DELETE', `/support/agents/${one}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array.from({ length: ids.length - 1 }, () => 200), 409]);
    await open(owner, { category: 'voice' });
  });

  test('creating an agent with an invalid field returns 400, and with an email address in use returns 409 DUPLICATE_RESOURCE', async () => {
    const owner = await platform.organization();
    await add(owner, { email: 'ada@example.com' });
    const refused = async (body: object) => {
      const response = await owner.rest('POST', '/support/agents', {
        body: { name: 'Ada', email: 'new@example.com', specialization: 'voice', ...body },
      });
      return [response.status, response.body.error?.code, response.body.error?.details.field];
    };
    expect(await refused({ email: 'nobody' })).toEqual([400, 'INVALID_PARAMETERS', 'email']);
    expect(await refused({ specialization: 'plumbing' })).toEqual([400, 'INVALID_PARAMETERS', 'specialization']);
    expect(await refused({ email: 'ada@example.com' })).toEqual([409, 'DUPLICATE_RESOURCE', 'email']);
  });
});
