import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { makeAgent } from './agents.setup.ts';
import { emailTo, freshEmail, mailTo, notify, problems } from './notification.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

describe('comments in notification emails', () => {
  const comment = async (ticket: Json, body: object) =>
    expect((await tenant.rest('POST', `/support/tickets/${ticket.id}/comments`, { body })).status).toBe(201);
  const discussed = async (): Promise<Json> => {
    const ticket = await openTicket(tenant);
    await comment(ticket, { content: 'Still <b>no</b> light' });
    await comment(ticket, { content: 'The customer is difficult', visibility: 'internal' });
    await comment(ticket, { content: `A technician is coming ${'x'.repeat(3000)}` });
    return ticket;
  };

  test('with include_comments, a notification email contains the customer-visible comments, oldest first, escaped in HTML', async () => {
    const ticket = await discussed();
    for (const filter of [{}, { comment_filter: 'customer_visible' }]) {
      const email = freshEmail();
      expect((await notify(tenant, ticket, emailTo(email, { include_comments: true, ...filter }))).status).toBe(201);
      const { text, html = '' } = await mailTo(email);
      expect(text).toMatch(/> Still <b>no<\/b> light[\s\S]+> A technician is coming x{1900}/);
      expect(html).toContain('Still &lt;b&gt;no&lt;/b&gt; light');
      for (const content of [text, html]) {
        expect(content).not.toContain('difficult');
        expect(content).not.toContain('x'.repeat(2001));
      }
    }
    const email = freshEmail();
    await notify(tenant, ticket, emailTo(email));
    expect((await mailTo(email)).text).not.toContain('technician');
  });

  test('sending internal comments in a notification email to an address that no agent has returns 400', async () => {
    const ticket = await discussed();
    const email = freshEmail();
    await makeAgent(tenant, { email });
    for (const comment_filter of ['all', 'internal']) {
      const stranger = freshEmail();
      const body = {
        type: 'email',
        recipients: [{ email: email.toUpperCase() }, { email: stranger }],
        include_comments: true,
        comment_filter,
      };
      const refused = await notify(tenant, ticket, body);
      expect(problems(refused)).toEqual([400, ['recipients']]);
      expect(refused.body.error.details.value).toBe(stranger);
      const sent = platform.mails.length;
      expect((await notify(tenant, ticket, { ...body, recipients: [{ email }] })).status).toBe(201);
      const { text } = await eventually(() => platform.mails.slice(sent).find(({ to }) => to === email));
      expect(text).toContain('> The customer is difficult');
      expect(text.includes('technician')).toBe(comment_filter === 'all');
    }
    expect((await notify(tenant, ticket, emailTo(email, { include_comments: true, comment_filter: 'secret' }))).status).toBe(400);
  });

  test('sending internal comments in a notification email to a deleted agent or to the address of a desk returns 400', async () => {
    const ticket = await discussed();
    const agent = await makeAgent(tenant);
    const { data } = await tenant.graphql('{ agents { nodes { email desk } } }');
    const desk = data.agents.nodes.find((one: Json) => one.desk);
    const internal = (email: string) => notify(tenant, ticket, emailTo(email, { include_comments: true, comment_filter: 'internal' }));
    expect((await internal(agent.email)).status).toBe(201);
    expect((await tenant.rest('DELETE', `/support/agents/${agent.id}`)).status).toBe(200);
    for (const email of [agent.email, desk.email]) expect(problems(await internal(email))).toEqual([400, ['recipients']]);
  });
});
