import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { Json, Tenant } from '../tenant.ts';
import { recordKinds } from './record-kinds.ts';
import type { Records } from './records.ts';

/** One filter or sort order of a list: the GraphQL argument and its value. */
export interface ListOption {
  kind: 'filter' | 'sort';
  title: string;
  argument: string;
  value: Json;
}

export interface ListPage {
  ids: string[];
  total: number;
  nextCursor: string | null;
}

/** A GraphQL list field with all its filters and sort orders, taken from the schema, so that new filters and sort orders are tested too. */
export class List {
  constructor(
    private readonly field: GraphQLField<unknown, unknown>,
    readonly options: readonly ListOption[],
    /** The values of the required arguments. */
    private readonly own: Readonly<Record<string, string>>,
  ) {}

  get name(): string {
    return this.field.name;
  }

  get sorts(): readonly ListOption[] {
    return this.options.filter(({ kind }) => kind === 'sort');
  }

  get filters(): readonly ListOption[] {
    return this.options.filter(({ kind }) => kind === 'filter');
  }

  /**
   * Reads the list.
   * @throws Error if the response contains errors
   */
  async read(tenant: Tenant, options: readonly ListOption[], page: Json = { limit: 200 }): Promise<ListPage> {
    const values: Json = { ...this.own, page };
    for (const { kind, argument, value } of options)
      values[argument] =
        kind === 'sort' ? [...(values[argument] ?? []), value] : typeof value === 'object' ? { ...values[argument], ...value } : value;
    const given = this.field.args.filter(({ name }) => name in values);
    const variables = given.map(({ name, type }) => `$${name}: ${type}`).join(', ');
    const args = given.map(({ name }) => `${name}: $${name}`).join(', ');
    const node = `${'id' in nodeOf(this.field).getFields() ? 'id' : '__typename'}`;
    const query = `query (${variables}) { list: ${this.name}(${args}) { nodes { ${node} } pageInfo { total nextCursor } } }`;
    const { data, errors } = await tenant.graphql(query, values);
    if (errors) throw new Error(`${this.name} ${JSON.stringify(values)}: ${JSON.stringify(errors)}`);
    const { nodes, pageInfo } = data.list;
    return { ids: nodes.map((one: Json) => one.id ?? one.__typename), ...pageInfo };
  }
}

/** All list fields of the schema, with filter values from `records`. */
export async function listsOf(sdl: string, records: Records): Promise<List[]> {
  const fields = Object.values(buildSchema(sdl, { assumeValidSDL: true }).getQueryType()?.getFields() ?? {});
  return Promise.all(fields.filter(isList).map((field) => listOf(field, records)));
}

export const listNames = (sdl: string): string[] =>
  Object.values(buildSchema(sdl, { assumeValidSDL: true }).getQueryType()?.getFields() ?? {})
    .filter(isList)
    .map(({ name }) => name);

const isList = ({ args }: GraphQLField<unknown, unknown>): boolean => args.some(({ type }) => getNamedType(type).name === 'PageInput');

const nodeOf = ({ type }: GraphQLField<unknown, unknown>): GraphQLObjectType =>
  getNamedType((getNamedType(type) as GraphQLObjectType).getFields().nodes?.type as GraphQLObjectType) as GraphQLObjectType;

async function listOf(field: GraphQLField<unknown, unknown>, records: Records): Promise<List> {
  const own: Record<string, string> = {};
  const options: ListOption[] = [];
  for (const { name, type } of field.args) {
    const input = getNamedType(type) as GraphQLInputType;
    if (name === 'page') continue;
    if (isNonNullType(type)) own[name] = await records.id(snakeCase(name));
    else if (!isInputObjectType(input))
      options.push({ kind: 'filter', title: name, argument: name, value: await givenValue(name, type, records) });
    else if (isListType(type)) options.push(...sortsOf(name, input.getFields().field as GraphQLInputField));
    else options.push(...(await filtersOf(field.name, name, Object.values(input.getFields()), records)));
  }
  return new List(field, options, own);
}

const sortsOf = (argument: string, { type }: GraphQLInputField): ListOption[] => {
  const fields = getNamedType(type);
  return (isEnumType(fields) ? fields.getValues() : []).flatMap(({ name }) =>
    ['ASC', 'DESC'].map((order): ListOption => ({ kind: 'sort', title: `${name} ${order}`, argument, value: { field: name, order } })),
  );
};

const filtersOf = (list: string, argument: string, fields: readonly GraphQLInputField[], records: Records): Promise<ListOption[]> =>
  Promise.all(
    fields.map(async ({ name, type }) => ({
      kind: 'filter' as const,
      title: name,
      argument,
      value: OF_LIST[`${list}.${name}`] ?? { [name]: await givenValue(name, type, records) },
    })),
  );

/** A value for a filter. If possible, it matches some of the records. */
async function givenValue(name: string, type: GraphQLInputType, records: Records): Promise<Json> {
  if (isNonNullType(type)) return givenValue(name, type.ofType, records);
  if (isListType(type)) return [await givenValue(name, type.ofType, records)];
  if (isEnumType(type)) return (type.getValues().find((value) => FREQUENT.has(value.name)) ?? type.getValues()[0])?.name;
  // `after` is the id of an event in the log
  const record = name === 'after' ? 'event_id' : snakeCase(name);
  if (record in recordKinds) return records.id(record);
  return BY_NAME[name] ?? BY_TYPE[getNamedType(type).name] ?? records.label;
}

const FREQUENT = new Set(['OPEN', 'ACTIVE', 'OPERATIONAL', 'MEDIUM', 'PUBLISHED']);
const BY_TYPE: Readonly<Record<string, Json>> = { Boolean: true, Int: 1, DateTime: '2030-01-01T00:00:00Z' };
/** Values for filters of one list, by `list.filter`, where the usual value does not fit or a second filter is required. */
const OF_LIST: Readonly<Record<string, Json>> = {
  'services.category': { category: ['connectivity'] },
  'services.fields': { fields: ['NAME'], search: 'several' },
  'sipTrunks.category': { category: ['connectivity'] },
  'sipTrunks.fields': { fields: ['NAME'], search: 'several' },
  'networks.category': { category: ['connectivity'] },
  'networks.fields': { fields: ['NAME'], search: 'several' },
};
const BY_NAME: Readonly<Record<string, Json>> = {
  ipAddress: '127.0.0.1',
  category: 'general',
  tag: 'general',
  event: 'ticket.created',
  search: 'several',
  q: 'several',
  zip: '10118',
  from: '2020-01-01T00:00:00Z',
  dateFrom: '2020-01-01T00:00:00Z',
  createdAfter: '2020-01-01T00:00:00Z',
};

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
