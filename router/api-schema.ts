import {
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLFieldConfig,
  type GraphQLObjectType,
  GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  Kind,
  GraphQLObjectType as ObjectType,
  type OperationTypeNode,
  valueFromASTUntyped,
} from 'graphql';
import { type DeclaredCosts, isSized } from './cost.ts';
import type { OperationLimits } from './limits.ts';
import { fieldWeight } from './weight.ts';

/** Rate of a root field: its weight and its categories in the rate limits. */
export interface FieldRate {
  weight: number;
  /** Categories of the field, such as `billing`. Each category has its own limit, in which the field also counts. */
  categories?: readonly string[];
}
export type RateOf = (operation: `${OperationTypeNode}`, field: string) => FieldRate;

export const rateByWeight: RateOf = (operation, field) => ({ weight: fieldWeight(operation as OperationTypeNode, field) });

interface Described {
  schema: GraphQLSchema;
  supergraph: DocumentNode;
  costs: DeclaredCosts;
  limits: OperationLimits;
  rateOf: RateOf;
}

/**
 * Returns the schema that clients read. The description of each root field also states its permission, its weight and
 * its cost.
 * The result is a copy, because the REST bridge reads the descriptions of the original schema and adds the permissions
 * itself.
 */
export function describeApi({ schema, supergraph, costs, limits, rateOf }: Described): GraphQLSchema {
  const demands = demandsIn(supergraph);
  const describeRoot = (operation: `${OperationTypeNode}`, root: GraphQLObjectType | null | undefined): ObjectType | undefined => {
    if (!root) return undefined;
    const config = root.toConfig();
    const fields = Object.entries(config.fields).map(([name, field]): [string, GraphQLFieldConfig<unknown, unknown>] => {
      const coordinate = `${root.name}.${name}`;
      const facts = [demands.get(coordinate), rateText(rateOf(operation, name)), costText(operation, field, costs.get(coordinate), limits)];
      return [name, { ...field, description: paragraphs(field.description, facts.filter(Boolean).join(' ')) }];
    });
    return new ObjectType({ ...config, description: paragraphs(config.description, costRule(limits)), fields: Object.fromEntries(fields) });
  };
  const config = schema.toConfig();
  const roots = new Set<unknown>([config.query, config.mutation, config.subscription]);
  return new GraphQLSchema({
    ...config,
    query: describeRoot('query', config.query),
    mutation: describeRoot('mutation', config.mutation),
    subscription: describeRoot('subscription', config.subscription),
    types: config.types.filter((type) => !roots.has(type)),
    assumeValid: true,
  });
}

const paragraphs = (...texts: (string | null | undefined)[]): string => texts.filter(Boolean).join('\n\n');

const costRule = ({ cost }: OperationLimits): string =>
  `The description of each field states the required permission, the rate limit weight and the cost. The cost is the number of objects that the field adds to the response; nested objects add their own cost. One operation can cost at most ${cost}.`;

const rateText = ({ weight, categories = [] }: FieldRate): string =>
  [`Rate limit weight: ${weight}.`, ...categories.map((category) => `Also counts against the limit of \`${category}\`.`)].join(' ');

function costText(
  operation: `${OperationTypeNode}`,
  { type, args = {} }: GraphQLFieldConfig<unknown, unknown>,
  declared: { weight: number; size: number | undefined } | undefined,
  { listSize, pageSize }: OperationLimits,
): string {
  const named = getNamedType(type);
  const own = declared?.weight ?? 0;
  if (!isCompositeType(named)) return `Cost: ${own}.`;
  const sized = Object.entries(args).some(([name, argument]) => isSized(name, argument.type));
  if (isListType(getNullableType(type)))
    return `Cost: ${own ? `${own} + ` : ''}1 per item (${sized ? pageSize : (declared?.size ?? listSize)} assumed).`;
  const lists = isObjectType(named) ? Object.values(named.getFields()).filter((field) => isListType(getNullableType(field.type))) : [];
  const isPage = sized && lists.length > 0;
  return `Cost: ${own + 1}${isPage ? ' + 1 per node' : ''}${operation === 'subscription' ? ' per event' : ''}.`;
}

const ROOTS = ['Query', 'Mutation', 'Subscription'];

/**
 * Returns a text about the permission and policies of each root field. The keys are coordinates of the fields, such as
 * `Query.ticket`.
 */
function demandsIn({ definitions }: DocumentNode): Map<string, string> {
  return new Map(
    definitions.flatMap((definition) =>
      definition.kind === Kind.OBJECT_TYPE_DEFINITION && ROOTS.includes(definition.name.value)
        ? (definition.fields ?? []).map(
            ({ name, directives = [] }) => [`${definition.name.value}.${name.value}`, demandText(directives)] as const,
          )
        : [],
    ),
  );
}

function demandText(directives: readonly ConstDirectiveNode[]): string {
  const namesIn = (directive: string): string[] => {
    const value = directives.find(({ name }) => name.value === directive)?.arguments?.[0]?.value;
    return value ? (valueFromASTUntyped(value) as string[][]).flat() : [];
  };
  // a scope is a permission with a dot instead of a colon
  const scopes = namesIn('requiresScopes').map((scope) => `\`${scope.replace('.', ':')}\``);
  const isGuarded = directives.some(({ name }) => name.value === 'authenticated');
  const policies = new Set(namesIn('policy'));
  const isOfPlatform = scopes.some((scope) => scope.startsWith('`platform:'));
  return [
    `Permission: ${scopes.join(', ') || (isGuarded ? 'any valid credentials' : 'none')}.`,
    ...(policies.has('second_factor')
      ? [`Users must have verified a second factor${isOfPlatform ? '' : ' if they have one or their organization requires one'}.`]
      : []),
    ...(policies.has('organization') ? ['Refused for callers that are limited to accounts.'] : []),
  ].join(' ');
}
