import { beforeAll, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import { openTicket } from '../ticket.setup.ts';
import { userOf } from '../users.setup.ts';
import { makeAgent } from './agents.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

test('the author of a comment is the agent with the email address of the calling user, regardless of case', async () => {
  const tenant = await platform.organization();
  const user = await userOf(tenant);
  const agent = await makeAgent(tenant, { email: user.email.toUpperCase() });
  expect(agent.email).toBe(user.email);
  const { id } = await openTicket(tenant);
  const { body } = await user.rest('POST', `/support/tickets/${id}/comments`, { body: { content: 'I am on it.' } });
  expect(body.comment.author).toMatchObject({ type: 'agent', id: agent.id, email: user.email });
});

test('giving two agents email addresses that differ only in case returns 409 DUPLICATE_RESOURCE', async () => {
  const tenant = await platform.organization();
  const [one, other] = [await makeAgent(tenant), await makeAgent(tenant)];
  const email = one.email.toUpperCase();
  const refused = [
    await tenant.rest('POST', '/support/agents', { body: { name: 'Grace', email, specialization: 'cloud' } }),
    await tenant.rest('PUT', `/support/agents/${other.id}`, { body: { email } }),
  ];
  for (const { status, body } of refused) expect([status, body.error.code]).toEqual([409, 'DUPLICATE_RESOURCE']);
  const renamed = await tenant.rest('PUT', `/support/agents/${one.id}`, { body: { email, name: 'Grace' } });
  expect(renamed.body.data).toMatchObject({ email: one.email, name: 'Grace' });
});
