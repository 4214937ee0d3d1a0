/**
 * The prefixes of ids. Specification 2.1 defines some of them; the others are chosen for records that the specification mentions without a
 * prefix.
 */
export const PREFIXES = {
  account: 'acc',
  agent: 'agent',
  alert: 'alrt',
  alertInstance: 'alinst',
  alertTicket: 'altkt',
  alertTransition: 'altr',
  apiKey: 'ak',
  article: 'art',
  attachment: 'att',
  auditRecord: 'aud',
  catalogPriceChange: 'price',
  budget: 'bud',
  bulk: 'bulk',
  categoryOverride: 'catovr',
  certificate: 'cert',
  comment: 'comment',
  creditNote: 'cn',
  customer: 'cust',
  delivery: 'dlv',
  dispute: 'dp',
  escalation: 'esc',
  event: 'evt',
  feedback: 'fb',
  grant: 'grant',
  incident: 'inc',
  incidentAlert: 'incalrt',
  incidentService: 'incsvc',
  incidentTicket: 'inctkt',
  incidentUpdate: 'incupd',
  integration: 'intg',
  integrationDelivery: 'idlv',
  invoice: 'inv',
  invoiceDelivery: 'ivd',
  jiraComment: 'jcom',
  jiraIssue: 'jiss',
  location: 'loc',
  logEntry: 'log',
  mail: 'mail',
  maintenanceWindow: 'maint',
  mfaChallenge: 'mfac',
  mfaMethod: 'mfa',
  notification: 'ntf',
  notificationRecipient: 'nrec',
  oauthClient: 'client',
  organization: 'org',
  organizationExport: 'exp',
  payment: 'pay',
  paymentMethod: 'pm',
  provisioningRequest: 'prov',
  quote: 'quote',
  refund: 're',
  report: 'report',
  request: 'req',
  routingRule: 'rule',
  samlConnection: 'saml',
  service: 'svc',
  serviceChange: 'order',
  session: 'sess',
  signingKey: 'key',
  site: 'site',
  slaMilestone: 'slam',
  slaPolicy: 'sla',
  sms: 'sms',
  statusChange: 'chg',
  taxRate: 'tax',
  subscription: 'sub',
  subscriptionCharge: 'sch',
  subscriptionItem: 'si',
  ticket: 'ticket',
  ticketAutomation: 'auto',
  ticketChange: 'tchg',
  token: 'tok',
  transaction: 'txn',
  trustedIssuer: 'iss',
  usagePrice: 'uprice',
  user: 'user',
  webhook: 'wh',
} as const;

export type Kind = keyof typeof PREFIXES;

/**
 * Returns the prefix of the ids of a GraphQL type, such as `dlv` for WebhookDelivery. Undefined if the ids of the type
 * have no prefix.
 */
export function prefixOf(type: string): string | undefined {
  const name = type.toLowerCase();
  const kinds = Object.keys(PREFIXES).filter((kind) => name.endsWith(kind.toLowerCase()));
  const kind = kinds.sort((one, other) => other.length - one.length)[0] as Kind | undefined;
  return kind && PREFIXES[kind];
}
