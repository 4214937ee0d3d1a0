import type { OrganizationTables } from '../../kernel/records/organization-data.ts';
import { fileKeyOf as reportKey } from '../../kernel/reports/report-file.ts';
import { type Attachment, fileKeyOf as attachmentKey } from './attachments/attachment.entity.ts';
import type { Report } from './reports/report.entity.ts';

/**
 * Returns the keys of an attachment's files in the file store. The parameter is a database row, so its properties have
 * the names of the columns.
 */
const attachmentFile = ({ id, organization_id: organizationId }: Readonly<Record<string, unknown>>): string[] => [
  attachmentKey({ id, organizationId } as Attachment),
];
const reportFile = ({ id, organization_id: organizationId, parameters }: Readonly<Record<string, unknown>>): string[] => [
  reportKey({ id, organizationId, parameters } as Report),
];

/**
 * Support tables with data of organizations. All rows of an organization are deleted together with the organization.
 * Articles without an organization belong to the platform and are kept.
 */
export const organizationData: OrganizationTables = {
  tables: [
    { table: 'report', files: reportFile, end: 'deleted' },
    { table: 'attachment', files: attachmentFile, end: 'deleted' },
    { table: 'attachment_upload', withheld: 'all', files: attachmentFile, end: 'deleted' },
    { table: 'integration_delivery', end: 'deleted' },
    { table: 'jira_comment', withheld: ['digest'], end: 'deleted' },
    { table: 'jira_issue', harmless: ['key'], end: 'deleted' },
    {
      table: 'jira_integration',
      withheld: ['sealed_api_token', 'api_token_hint', 'sealed_inbound_secret'],
      harmless: ['project_key'],
      end: 'deleted',
    },
    { table: 'slack_integration', withheld: ['sealed_webhook_url', 'target_digest', 'webhook_url_hint'], end: 'deleted' },
    { table: 'notification_recipient', end: 'deleted' },
    { table: 'notification', end: 'deleted' },
    { table: 'notification_content', end: 'deleted' },
    { table: 'ticket_automation', end: 'deleted' },
    { table: 'routing_rule', end: 'deleted' },
    { table: 'feedback', end: 'deleted' },
    { table: 'escalation', end: 'deleted' },
    { table: 'sla_milestone', end: 'deleted' },
    { table: 'ticket_change', end: 'deleted' },
    { table: 'comment', end: 'deleted' },
    { table: 'ticket', end: 'deleted' },
    { table: 'article', withheld: ['search'], end: 'deleted' },
    { table: 'category_override', end: 'deleted' },
    { table: 'sla_policy', end: 'deleted' },
    { table: 'agent', end: 'deleted' },
    // must be listed after the tickets, because deleting tickets writes to these tables
    { table: 'ticket_text', withheld: 'all', end: 'deleted' },
    { table: 'ticket_tally', withheld: 'all', end: 'deleted' },
    { table: 'ticket_account_tally', withheld: 'all', end: 'deleted' },
    { table: 'ticket_counter', withheld: 'all', end: 'deleted' },
    { table: 'reference_counter', withheld: 'all', end: 'deleted' },
  ],
  others: {},
};
