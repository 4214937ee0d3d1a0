/** Returns the path to which Jira sends the webhooks of an integration. */
export const inboundPath = (integrationId: string): string => `/v1/support/integrations/jira/${integrationId}/webhook`;
