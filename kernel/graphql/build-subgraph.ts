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

/** Apollo's composition library does not know `@oneOf`, and accepts it only if the subgraph defines it. */
const ONE_OF = 'directive @oneOf on INPUT_OBJECT\n';

/**
 * A PubSub that is never used. type-graphql requires one if there are subscriptions, but each subscription of the platform defines its
 * stream with `subscribe`.
 */
const NO_TOPICS: PubSub = {
  publish: () => undefined,
  subscribe() {
    throw new Error('A subscription states its stream with `subscribe`.');
  },
};

/** Resolves a reference from another subgraph to a record of this subgraph. */
export interface EntityReference<C> {
  /**
   * The permission that a caller needs to load the record through any relation. It is checked before anything is
   * loaded.
   */
  requires: Permission;
  /**
   * Access of callers who are limited to accounts. `open`: they may load every record. Default: they may load only records of their
   * accounts, and no record of an entity that declares no account (`@OrganizationFilter({ account })`).
   */
  scope?: 'open';
  /** Loads the record of a reference. Returns null if the record does not exist for the caller. */
  load(reference: Readonly<Record<string, string>>, context: C): Promise<object | null>;
}

/** A part of the schema that is generated from data, not from classes. */
export interface SchemaExtension {
  /** SDL of additional types, and of extensions of types that classes declare. */
  sdl: string;
  /** Resolvers by type name, then by field name. A union has `__resolveType`. */
  resolvers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface SubgraphDefinition<C extends { principal: Principal }> {
  name: string;
  resolvers: NonEmptyArray<ClassType>;
  /** Types that no field of this subgraph returns: entities of other subgraphs that it extends or refers to. */
  orphanedTypes?: ClassType[];
  /** Reference resolvers by type name, for the entities that this subgraph owns. */
  references?: Readonly<Record<string, EntityReference<C>>>;
  extension?: SchemaExtension | undefined;
  createContext(request: RequestContext): C;
}

/**
 * Builds a Federation 2 subgraph from classes of type-graphql. Only the given classes are used, although type-graphql stores the metadata
 * of all classes in one global object.
 */
export function buildSubgraph<C extends { principal: Principal }>(definition: SubgraphDefinition<C>): Subgraph {
  const { name, resolvers, orphanedTypes = [], references = {}, extension } = definition;
  readPlainly();
  orderArguments();
  findScopes(resolvers);
  const declared = buildSchemaSync({
    resolvers,
    orphanedTypes,
    authChecker: checkPermission,
    // the checker throws if the permission is missing; if it returns false, the field is null
    authMode: 'null',
    pubSub: NO_TOPICS,
    scalarsMap: [
      { type: Date, scalar: DateTime },
      { type: Decimal, scalar: DecimalNumber },
    ],
    skipCheck: true,
  });
  // the directives of federation are added later, so the SDL cannot be validated here
  const schema = extension ? extendSchema(declared, parse(extension.sdl), { assumeValidSDL: true }) : declared;
  describeCommon(schema);
  const printed = printSchemaWithDirectives(schema);
  const sdl = `${LINK}${printed.includes(' @oneOf') ? ONE_OF : ''}${printed}`;
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

/**
 * Sets the default values of enum arguments and input fields to the internal values that resolvers expect. In a schema
 * that is built from SDL, the default is the name of the enum value instead.
 */
function restoreEnumDefaults(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) restoreEnumDefault(field);
    if (isObjectType(type))
      for (const field of Object.values(type.getFields())) for (const argument of field.args) restoreEnumDefault(argument);
  }
}

/** Restores the extensions that decorators add to fields, because SDL cannot express extensions. */
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
