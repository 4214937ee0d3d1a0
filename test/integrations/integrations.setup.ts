import type { Rows } from '../../kernel/database/database.ts';
import { eventually } from '../rig.ts';
import { API_TOKEN, type JiraServer, USERNAME } from '../support/jira.server.ts';
import type { SlackServer } from '../support/slack.server.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

/** Opens a ticket over REST and returns it. */
export async function openTicket(tenant: Tenant, input: Json = {}, headers: Record<string, string> = {}): Promise<Json> {
  const body = { title: 'Line is down', description: 'Since 9:30.', priority: 'high', ...input };
  return (await tenant.rest('POST', '/support/tickets', { body, headers })).body.ticket;
}

export async function changeTicket(tenant: Tenant, id: string, body: Json): Promise<void> {
  const response = await tenant.rest('PUT', `/support/tickets/${id}`, { body });
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
}

/** Creates an integration with a channel of the test Slack server. */
export async function withSlack(tenant: Tenant, slack: SlackServer, input: Json = {}): Promise<Json> {
  const body = { webhook_url: slack.url, channel: '#support', events: ['ticket.*'], ...input };
  const response = await tenant.rest('POST', '/support/integrations/slack', { body });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}

/** Creates an integration with a project of the test Jira server. */
export async function withJira(tenant: Tenant, jira: JiraServer, input: Json = {}): Promise<Json> {
  const body = { jira_url: jira.url, username: USERNAME, api_token: API_TOKEN, project_key: 'SUP', ...input };
  const response = await tenant.rest('POST', '/support/integrations/jira', { body });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}

/** Gets an integration over REST with the credentials of `tenant`. */
export const readBack = async (tenant: Tenant, kind: 'slack' | 'jira', id: string): Promise<Json> =>
  (await tenant.rest('GET', `/support/integrations/${kind}/${id}`)).body.data;

/** Waits until an integration meets a condition, and returns it. */
export const settled = (tenant: Tenant, kind: 'slack' | 'jira', id: string, isSo: (integration: Json) => unknown): Promise<Json> =>
  eventually(async () => {
    const integration = await readBack(tenant, kind, id);
    return isSo(integration) ? integration : undefined;
  });

export interface DeliveryRow {
  event: string;
  status: string;
  attempts: number;
  error: string | null;
  payload: string | null;
}

/** The stored deliveries of an integration, in the order of their events. */
export const deliveryRows = async (integrationId: string): Promise<DeliveryRow[]> => {
  const all: Rows = await rows();
  return all.query<DeliveryRow>('select * from "support"."integration_delivery" where integration_id = $1 order by event_sequence', [
    integrationId,
  ]);
};

/** Waits until there are `count` deliveries and none of them is pending, and returns them. */
export const allSettled = (integrationId: string, count: number): Promise<DeliveryRow[]> =>
  eventually(async () => {
    const found = await deliveryRows(integrationId);
    return found.length >= count && found.every(({ status }) => status !== 'pending') ? found : undefined;
  });
