/** Path that Jira's webhooks of an integration call. */
export const inboundPath = (integrationId: string): string => `/v1/support/integrations/jira/${integrationId}/webhook`;
