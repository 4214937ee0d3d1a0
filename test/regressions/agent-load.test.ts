import { expect, test } from 'vitest';
import { rig } from '../rig.ts';
import { copiesOf, onlyTable } from '../support/tables.ts';
import type { Tenant } from '../tenant.ts';

const opened = async (tenant: Tenant) => {
  const body = { title: 'No dial tone', description: 'Since noon', category: 'voice' };
  const { ticket } = (await tenant.rest('POST', '/support/tickets', { body })).body;
  return { id: ticket.id as string, agentId: ticket.assigned_to.agent_id as string };
};

test('a new ticket is assigned to the agent with the fewest unresolved tickets in its organization', async () => {
  const [tenant, other] = [await (await rig()).organization(), await (await rig()).organization()];
  const { agentId: desk } = await opened(tenant);
  const [colleague = ''] = await copiesOf('support.agent', desk, 1, 'email');
  const tickets = await onlyTable('support.ticket');
  for (const { id } of [await opened(other), await opened(other)]) await tickets.set('agent_id', colleague, 'id', id);

  expect((await opened(tenant)).agentId).toBe(colleague);
  expect((await opened(tenant)).agentId).toBe(desk);
});
