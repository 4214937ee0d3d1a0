import type { SealedColumn } from '../../kernel/access/sealed-column.ts';

/**
 * Purposes of the `SecretBox` instances that encrypt the secrets of the support domain. Each purpose has its own key.
 */
export const SLACK_WEBHOOK_URLS = 'support.slack-webhook-url';
export const JIRA_API_TOKENS = 'support.jira-api-token';
export const JIRA_INBOUND_SECRETS = 'support.jira-inbound-secret';

export const sealed: readonly SealedColumn[] = [
  { table: 'slack_integration', column: 'sealed_webhook_url', purpose: SLACK_WEBHOOK_URLS },
  { table: 'jira_integration', column: 'sealed_api_token', purpose: JIRA_API_TOKENS },
  { table: 'jira_integration', column: 'sealed_inbound_secret', purpose: JIRA_INBOUND_SECRETS },
];
