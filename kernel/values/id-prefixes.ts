/** The id prefixes of specification 2.1, and of records that it mentions without a prefix. */
export const PREFIXES = {
  account: 'acc',
  agent: 'agent',
  apiKey: 'ak',
  article: 'art',
  attachment: 'att',
  auditRecord: 'aud',
  categoryOverride: 'catovr',
  certificate: 'cert',
  comment: 'comment',
  customer: 'cust',
  delivery: 'dlv',
  escalation: 'esc',
  event: 'evt',
  feedback: 'fb',
  grant: 'grant',
  integration: 'intg',
  integrationDelivery: 'idlv',
  invoice: 'inv',
  jiraComment: 'jcom',
  jiraIssue: 'jiss',
  location: 'loc',
  mail: 'mail',
  mfaChallenge: 'mfac',
  mfaMethod: 'mfa',
  notification: 'ntf',
  notificationRecipient: 'nrec',
  oauthClient: 'client',
  order: 'order',
  organization: 'org',
  organizationExport: 'exp',
  payment: 'pay',
  paymentMethod: 'pm',
  provisioningRequest: 'prov',
  report: 'report',
  request: 'req',
  routingRule: 'rule',
  samlConnection: 'saml',
  service: 'svc',
  session: 'sess',
  signingKey: 'key',
  site: 'site',
  slaMilestone: 'slam',
  slaPolicy: 'sla',
  sms: 'sms',
  statusChange: 'chg',
  ticket: 'ticket',
  ticketAutomation: 'auto',
  ticketChange: 'tchg',
  token: 'tok',
  transaction: 'txn',
  trustedIssuer: 'iss',
  user: 'user',
  webhook: 'wh',
} as const;

export type Kind = keyof typeof PREFIXES;

/** The prefix of the ids of a type of the graph, such as `dlv` of WebhookDelivery; undefined for a type without ids of this form. */
export function prefixOf(type: string): string | undefined {
  const name = type.toLowerCase();
  const kinds = Object.keys(PREFIXES).filter((kind) => name.endsWith(kind.toLowerCase()));
  const kind = kinds.sort((one, other) => other.length - one.length)[0] as Kind | undefined;
  return kind && PREFIXES[kind];
}
