import { type GraphQLType, getNamedType, getNullableType, isListType } from 'graphql';
import { inputSchemas, type JsonSchema } from '../graphql/json-schema.ts';
import { idPattern, isKind, type Kind } from './ids.ts';

/**
 * The kind of record that a field or parameter refers to, by its name. Names that imply the kind, such as `accountId`,
 * are omitted.
 */
const KINDS: Readonly<Record<string, Kind>> = {
  accounts: 'account',
  after: 'event',
  assignTo: 'agent',
  analyticsReportId: 'report',
  assignedTo: 'agent',
  challengeId: 'mfaChallenge',
  changeId: 'serviceChange',
  leftovers: 'service',
  connectionId: 'samlConnection',
  destination: 'service',
  instanceId: 'alertInstance',
  issuerId: 'trustedIssuer',
  jiraIntegrationId: 'integration',
  keyId: 'apiKey',
  methodId: 'mfaMethod',
  networkId: 'service',
  recipientIds: 'notificationRecipient',
  requestId: 'provisioningRequest',
  ruleId: 'routingRule',
  slackIntegrationId: 'integration',
};

/**
 * The kind of record that a GraphQL type represents, by the name of the type. Names that imply the kind, such as
 * `Ticket`, are omitted.
 */
const KINDS_OF_TYPES: Readonly<Record<string, Kind>> = {
  AnalyticsReport: 'report',
  BillingSubscription: 'subscription',
  JiraIntegration: 'integration',
  InternetLine: 'service',
  Network: 'service',
  OAuthClient: 'oauthClient',
  ServiceStatusChange: 'statusChange',
  SlackIntegration: 'integration',
  SupportReport: 'report',
  WebhookDelivery: 'delivery',
};

/**
 * Fields of type ID without a pattern, each with the reason: the values are ids of several kinds, or texts that are not
 * ids of this platform.
 */
const OTHERS: Readonly<Record<string, string>> = {
  'NetworkLocation.id': 'an id that the customer gives to a site',
  'NetworkLocationInput.id': 'an id that the customer gives to a site',
  'CallerIdentity.id': 'a user or any credential',
  'Carrier.id': 'a word of the catalog',
  'CarrierCreateInput.id': 'a word of the catalog',
  'CatalogService.id': 'a word of the catalog',
  'CatalogServiceCreateInput.id': 'a word of the catalog',
  'CommentAuthor.id': 'a user, an agent, a customer or a credential',
  'CommentAuthorInput.id': 'a user, an agent, a customer or a credential',
  'CoverageArea.id': 'a ZIP prefix',
  'CoverageFeature.id': 'a ZIP prefix and a technology',
  'AnalyticsScope.id': 'an encoded period, with its account and services',
  'CostOfService.serviceId': 'a service, or the account itself',
  'CostPoint.serviceId': 'a service, or the account itself',
  'CreditNoteLine.serviceId': 'a service, or the account itself',
  'InvoiceLine.serviceId': 'a service, or the account itself',
  'SubscriptionItem.serviceId': 'a service, or the account itself',
  'TicketActor.id': 'a user, an agent or a credential',
  'TicketCategory.id': 'a word of the desk',
  'UsageOfService.serviceId': 'a service, or the account itself',
  'UsageReportRow.serviceId': 'a service, or the account itself',
  acknowledgedBy: 'a user or any credential',
  authorId: 'a user or any credential',
  carrierId: 'a word of the catalog',
  catalogId: 'a word of the catalog',
  changedBy: 'a user or any credential',
  clientId: 'an API key, an OAuth client or another credential',
  issueId: 'an id of Jira',
  requestedBy: 'a user or any credential',
  serviceAffected: 'the id of a service, or a name for what is affected',
  template: 'a word of the catalog',
  serviceTemplate: 'a word of the catalog',
  siteId: "the customer's own name for a site",
  subjectId: 'a record of any kind',
  silencedBy: 'a user or any credential',
};

/**
 * Returns the JSON Schema pattern of an id. The type and the field imply the kind of record, for example `Ticket.id` or
 * `Invoice.accountId`. Undefined if the field accepts several kinds.
 * @throws Error if the kind is unknown
 */
function idPatternOf(type: string, field: string): string | undefined {
  if (`${type}.${field}` in OTHERS || field in OTHERS) return undefined;
  const name = field === 'id' ? type.replace(/Filter$/, '') : field.replace(/Ids?$/, '');
  const kind = KINDS[field] ?? (field === 'id' ? KINDS_OF_TYPES[name] : undefined) ?? `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  if (!isKind(kind))
    throw new Error(`The kind of record that ${type}.${field} refers to is unknown. Declare it in kernel/records/field-schemas.ts.`);
  return idPattern(kind);
}

/** A GraphQL field or argument for which the OpenAPI generator needs a schema. */
export interface SchemaPlace {
  /**
   * The type that has the field, such as `TicketCreateInput`. For an argument, the coordinate of its field, such as
   * `Query.supportDashboard`.
   */
  parent: string;
  field: string;
  type: GraphQLType;
}

/**
 * Creates the function from which the OpenAPI generator gets the rules of a field beyond its type: the validation rules
 * of its input class, and the pattern of ids. SDL cannot express these rules, so they are read from the classes of this
 * process.
 */
export function fieldSchemas(): (place: SchemaPlace) => JsonSchema {
  let known: ReadonlyMap<string, JsonSchema> | undefined;
  return ({ parent, field, type }) => {
    known ??= inputSchemas();
    const stated = known.get(`${parent}.${field}`) ?? {};
    if (getNamedType(type).name !== 'ID') return stated;
    const pattern = idPatternOf(parent, field);
    if (!pattern) return stated;
    if (isListType(getNullableType(type))) return { ...stated, items: { pattern } };
    return { pattern, ...('nullable' in stated && { nullable: stated.nullable }) };
  };
}
