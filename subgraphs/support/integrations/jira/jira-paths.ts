/** Where Jira tells an integration what happened there. */
export const inboundPath = (integrationId: string): string => `/v1/support/integrations/jira/${integrationId}/webhook`;
