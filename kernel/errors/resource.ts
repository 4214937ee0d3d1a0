/**
 * Kinds of records, in the spelling of `details.resource` in errors over REST and GraphQL. Each name is the name of a GraphQL type in snake
 * case, except `customer`: an account that is addressed by its customer number.
 */
export const resources = [
  'account',
  'agent',
  'alert',
  'analytics_report',
  'api_key',
  'article',
  'attachment',
  'budget',
  'billing_subscription',
  'bulk',
  'carrier',
  'catalog_category',
  'catalog_service',
  'certificate',
  'coverage_area',
  'credit_note',
  'customer',
  'incident',
  'invoice',
  'jira_integration',
  'maintenance_window',
  'metric',
  'mfa_challenge',
  'mfa_method',
  'oauth_client',
  'organization',
  'organization_export',
  'payment',
  'payment_method',
  'provisioning_request',
  'quote',
  'routing_rule',
  'saml_connection',
  'service',
  'service_change',
  'session',
  'sla_policy',
  'slack_integration',
  'support_report',
  'tax_rate',
  'ticket',
  'ticket_category',
  'trusted_issuer',
  'usage_price',
  'user',
  'webhook',
  'webhook_delivery',
] as const;

export type Resource = (typeof resources)[number];
export const isResource = (name: string): name is Resource => (resources as readonly string[]).includes(name);

const SPELLING: Readonly<Record<string, string>> = {
  api: 'API',
  jira: 'Jira',
  mfa: 'MFA',
  oauth: 'OAuth',
  saml: 'SAML',
  sla: 'SLA',
  slack: 'Slack',
};

/** Converts a name for use in a sentence: `sla_policy` becomes `SLA policy`. */
export const inWords = (resource: Resource): string =>
  resource
    .split('_')
    .map((word) => SPELLING[word] ?? word)
    .join(' ');

/** Converts the name of a GraphQL type for use in a sentence: `SlaPolicy` becomes `SLA policy`. */
export const nameInWords = (type: string): string =>
  (type.match(/OAuth|[A-Z][a-z]+/g) ?? [type]).map((word) => SPELLING[word.toLowerCase()] ?? word.toLowerCase()).join(' ');
