import { buildSubgraphSchema } from '@apollo/subgraph';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import {
  extendSchema,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  parse,
} from 'graphql';
import { buildSchemaSync, type ClassType, createResolversMap, type NonEmptyArray, type PubSub } from 'type-graphql';
import type { Permission, Principal } from '../access/principal.ts';
import type { RequestContext } from '../request.ts';
import type { Subgraph } from '../subgraph.ts';
import { Decimal } from '../values/money.ts';
import { describeCommon } from './common-descriptions.ts';
import { findScopes, isTypeOfAccounts } from './field-scopes.ts';
import { compileInputProblems } from './input-problems.ts';
import { checkPermission } from './requires.ts';
import { callDirectly, orderArguments, readPlainly } from './resolver-calls.ts';
import { DateTime, DecimalNumber } from './scalars.ts';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external", "@requires", "@provides", "@authenticated", "@requiresScopes", "@policy", "@cost", "@listSize"])\n';

/** type-graphql asks for one where there are subscriptions; ours state their stream themselves (`subscribe`). */
const NO_TOPICS: PubSub = {
  publish: () => undefined,
  subscribe() {
    throw new Error('A subscription states its stream with `subscribe`.');
  },
};

/** How a reference from another subgraph becomes the record that it stands for. */
export interface EntityReference<C> {
  /** What the caller must hold whichever relation leads here; checked before anything is loaded. */
  requires: Permission;
  /** Whoever is limited to accounts is led to records of an account (`@OrganizationFilter`) only, unless this says that all are. */
  scope?: 'open';
  /** Null where there is none such for the caller. */
  load(reference: Readonly<Record<string, string>>, context: C): Promise<object | null>;
}

/** What is made of data and not of classes. */
export interface SchemaExtension {
  /** Types, and extensions of those of the classes. */
  sdl: string;
  /** By type name, then by field; `__resolveType` of a union. */
  resolvers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface SubgraphDefinition<C extends { principal: Principal }> {
  name: string;
  resolvers: NonEmptyArray<ClassType>;
  /** Types that no field of this subgraph returns: entities of others that it extends or refers to. */
  orphanedTypes?: ClassType[];
  /** By type name, for the entities that this subgraph owns. */
  references?: Readonly<Record<string, EntityReference<C>>>;
  extension?: SchemaExtension | undefined;
  createContext(request: RequestContext): C;
}

/** Makes a Federation 2 subgraph of type-graphql classes. Only the named classes count: the decorators' storage is global. */
export function buildSubgraph<C extends { principal: Principal }>(definition: SubgraphDefinition<C>): Subgraph {
  const { name, resolvers, orphanedTypes = [], references = {}, extension } = definition;
  readPlainly();
  orderArguments();
  findScopes(resolvers);
  const declared = buildSchemaSync({
    resolvers,
    orphanedTypes,
    authChecker: checkPermission,
    // what is refused is thrown there: what is left is not shown
    authMode: 'null',
    pubSub: NO_TOPICS,
    scalarsMap: [
      { type: Date, scalar: DateTime },
      { type: Decimal, scalar: DecimalNumber },
    ],
    skipCheck: true,
  });
  // what federation's directives mean is known to the composition only
  const schema = extension ? extendSchema(declared, parse(extension.sdl), { assumeValidSDL: true }) : declared;
  describeCommon(schema);
  const sdl = LINK + printSchemaWithDirectives(schema);
  const resolverMap = createResolversMap(declared);
  callDirectly(resolverMap as never, resolvers);
  for (const [type, fields] of Object.entries(extension?.resolvers ?? {})) {
    resolverMap[type] = { ...(resolverMap[type] as object), ...fields } as never;
  }
  for (const [type, reference] of Object.entries(references)) {
    resolverMap[type] = { ...(resolverMap[type] as object), __resolveReference: resolverOf(type, reference) } as never;
  }
  const executable = buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers: resolverMap as never }]);
  restoreEnumDefaults(executable);
  restoreExtensions(executable, declared);
  const { createContext } = definition;
  return { name, sdl, schema: executable, createContext, inputProblems: compileInputProblems(executable, createContext) };
}

const resolverOf =
  <C extends { principal: Principal }>(type: string, { requires, scope, load }: EntityReference<C>) =>
  async (reference: Record<string, string>, context: C): Promise<object | null> => {
    context.principal.require(requires);
    return context.principal.accounts === null || scope === 'open' || isTypeOfAccounts(type) ? load(reference, context) : null;
  };

/** A schema made of SDL takes an enum's default for its name; what is filled in is its value, as if the caller had sent it. */
function restoreEnumDefaults(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) restoreEnumDefault(field);
    if (isObjectType(type))
      for (const field of Object.values(type.getFields())) for (const argument of field.args) restoreEnumDefault(argument);
  }
}

/** Nor does SDL say what decorators note of a field. */
function restoreExtensions(schema: GraphQLSchema, declared: GraphQLSchema): void {
  for (const type of Object.values(declared.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    const fields = (schema.getType(type.name) as GraphQLObjectType).getFields();
    for (const { name, extensions } of Object.values(type.getFields())) Object.assign(fields[name]?.extensions ?? {}, extensions);
  }
}

function restoreEnumDefault(input: GraphQLArgument | GraphQLInputField): void {
  const type = getNullableType(input.type);
  if (isEnumType(type) && typeof input.defaultValue === 'string')
    input.defaultValue = type.getValue(input.defaultValue)?.value ?? input.defaultValue;
}
