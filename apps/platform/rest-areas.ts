import type { EventType } from '../../kernel/events/events.ts';
import { fieldSchemas } from '../../kernel/records/field-schemas.ts';
import type { RestSource } from '../../rest-bridge/compile.ts';
import type { Area, NonGraphRoute } from '../../rest-bridge/route.ts';
import { accounts } from '../../rest-bridge/routes/accounts.ts';
import { analytics, analyticsReportFiles } from '../../rest-bridge/routes/analytics.ts';
import { attachmentRoutes } from '../../rest-bridge/routes/attachments.ts';
import { billing } from '../../rest-bridge/routes/billing.ts';
import { invoiceDocumentRoutes } from '../../rest-bridge/routes/billing-documents.ts';
import { billingLedgerRoutes } from '../../rest-bridge/routes/billing-ledger.ts';
import { billingReports } from '../../rest-bridge/routes/billing-reports.ts';
import { billingSubscriptions } from '../../rest-bridge/routes/billing-subscriptions.ts';
import { billingUsage } from '../../rest-bridge/routes/billing-usage.ts';
import { connectivity } from '../../rest-bridge/routes/connectivity.ts';
import { credentials } from '../../rest-bridge/routes/credentials.ts';
import { eventStreamRoutes } from '../../rest-bridge/routes/event-stream.ts';
import { monitoring } from '../../rest-bridge/routes/monitoring.ts';
import { logIngestionRoutes } from '../../rest-bridge/routes/monitoring-logs.ts';
import { oauthRoutes } from '../../rest-bridge/routes/oauth.ts';
import { operator, operatorFiles } from '../../rest-bridge/routes/operator.ts';
import { samlRoutes } from '../../rest-bridge/routes/saml.ts';
import { sampleRoutes } from '../../rest-bridge/routes/samples.ts';
import { services } from '../../rest-bridge/routes/services.ts';
import { support } from '../../rest-bridge/routes/support.ts';
import { jiraWebhookRoutes } from '../../rest-bridge/routes/support-integrations.ts';
import { supportReportFiles } from '../../rest-bridge/routes/support-reports.ts';
import { webhooks } from '../../rest-bridge/routes/webhooks.ts';
import { describeEventType } from '../../subgraphs/events/event-types/event-type.types.ts';

/** The areas of the REST API, in the order of the documentation. */
export const restAreas: readonly Area[] = [
  credentials,
  accounts,
  services,
  connectivity,
  billing,
  billingReports,
  billingUsage,
  billingSubscriptions,
  monitoring,
  analytics,
  support,
  webhooks,
  operator,
];

/** REST routes that do not serve a GraphQL query or mutation: protocols with their own request and response formats. */
export const nonGraphRoutes: readonly NonGraphRoute[] = [
  ...oauthRoutes,
  ...samlRoutes,
  ...eventStreamRoutes,
  ...attachmentRoutes,
  ...invoiceDocumentRoutes,
  ...supportReportFiles,
  ...analyticsReportFiles,
  ...jiraWebhookRoutes,
  ...operatorFiles,
  ...billingLedgerRoutes,
  ...sampleRoutes,
  ...logIngestionRoutes,
];

/**
 * Returns the parts of the REST API that the REST bridge needs. If `origins` are not given, the OpenAPI document
 * contains placeholders for the origins.
 */
export const restSurface = (origins: Pick<RestSource, 'origin' | 'authOrigin' | 'samlOrigin'>, eventTypes: readonly EventType[]) =>
  ({
    ...origins,
    webhookEvents: () => eventTypes.map(describeEventType),
    areas: restAreas,
    nonGraphRoutes: nonGraphRoutes,
    schemaOf: fieldSchemas(),
    // the examples of responses were recorded by `npm run examples`
    examples: async () => (await import('./examples.json', { with: { type: 'json' } })).default,
  }) satisfies Partial<RestSource>;
