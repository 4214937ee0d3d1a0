import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { nameInWords } from '../errors/resource.ts';
import { prefixOf } from '../values/id-prefixes.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from './page.ts';

/**
 * Adds default descriptions to parts of the schema that mean the same in every domain: ids, timestamps, arguments of
 * lists, sort fields. A description in a decorator takes precedence.
 */
export function describeCommon(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    type.description ||= TYPES[type.name];
    if (isEnumType(type) && type.name.endsWith('SortField'))
      for (const value of type.getValues()) value.description ||= SORT_FIELDS[value.name];
    if (isInputObjectType(type) && type.name.endsWith('Filter'))
      for (const field of Object.values(type.getFields())) field.description ||= FILTERS[field.name];
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      field.description ||= field.name === 'id' ? `Unique id${formOf(type)}.` : FIELDS[field.name];
      for (const argument of field.args) argument.description ||= describeArgument(argument, field);
    }
  }
}

const TYPES: Readonly<Record<string, string>> = {
  Query: 'Read operations. They change nothing and run in parallel.',
  Mutation: 'Operations that change data. The fields of one operation run one after the other, in the order in which they are listed.',
  Subscription: 'Events as they happen, over WebSocket (graphql-transport-ws).',
};

const FIELDS: Readonly<Record<string, string>> = {
  createdAt: 'When the record was created.',
  updatedAt: 'When the record last changed.',
  organizationId: 'Organization that the record belongs to (`org_…`).',
};

const FILTERS: Readonly<Record<string, string>> = {
  status: 'Only records in one of these states.',
  priority: 'Only records with one of these priorities.',
  category: 'Only records of these categories, such as `connectivity`.',
  accountId: 'Only records of these accounts, by id (`acc_…`).',
  customerId: 'Only records of accounts with one of these customer numbers (`cust_…`).',
  ticketId: 'Only records about these tickets, by id (`ticket_…`).',
  articleId: 'Only records about these articles, by id (`art_…`).',
  userId: 'Only records of these users, by id (`user_…`).',
  createdAfter: 'Only records created at this time or later.',
  createdBefore: 'Only records created before this time.',
};

const SORT_FIELDS: Readonly<Record<string, string>> = {
  CREATED_AT: 'Time of creation.',
  UPDATED_AT: 'Time of the last change.',
  NAME: 'Name, in alphabetical order.',
  TITLE: 'Title, in alphabetical order.',
  EMAIL: 'E-mail address, in alphabetical order.',
  STATUS: 'State, in alphabetical order.',
  CATEGORY: 'Category id, in alphabetical order.',
  EXPIRES_AT: 'Time of expiry.',
  LAST_USED: 'Time of the last use.',
  USAGE_COUNT: 'Number of uses.',
};

const ARGUMENTS: Readonly<Record<string, string>> = {
  page: `Part of the list to return. Default: the first ${PAGE_SIZE_DEFAULT} records.`,
  sort: 'Fields to sort by, the most significant first. Default: newest first.',
  filter: 'Conditions that records must meet. Default: none.',
  limit: `Maximum number of records, 1 to ${PAGE_SIZE_MAX}. Default: ${PAGE_SIZE_DEFAULT}.`,
};

function describeArgument({ name }: GraphQLArgument, field: GraphQLField<unknown, unknown>): string | undefined {
  const type = getNamedType(field.type);
  if (name === 'id') return `Id of the ${nameInWords(type.name)}${formOf(type)}.`;
  if (name === 'input' && field.name.startsWith('create')) return `Values of the new ${nameInWords(type.name)}.`;
  if (name === 'input' && field.name.startsWith('update')) return `Fields of the ${nameInWords(type.name)} to change.`;
  return ARGUMENTS[name];
}

function formOf({ name }: GraphQLNamedType): string {
  const prefix = prefixOf(name);
  return prefix ? ` (\`${prefix}_…\`)` : '';
}
