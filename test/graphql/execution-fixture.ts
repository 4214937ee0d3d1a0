import { ApolloGateway, LocalGraphQLDataSource } from '@apollo/gateway';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { QueryPlanner } from '@graphql-hive/router-query-planner';
import { transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import { buildASTSchema, type DocumentNode, type ExecutionResult, execute, type GraphQLSchema, Kind, parse } from 'graphql';
import { Conditions, type Decisions } from '../../router/conditions.ts';
import { CompiledOperation } from '../../router/execution/operation.ts';
import type { SubgraphFetch } from '../../router/execution/step.ts';
import { Joins } from '../../router/joins.ts';
import { composeSupergraph } from '../../router/supergraph.ts';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable", "@external", "@requires", "@provides"])\n';

type Row = Record<string, unknown>;
const shops = Array.from({ length: 4 }, (_, index) => ({ id: `s${index}`, name: `Shop ${index}`, kind: index % 2 ? 'ONLINE' : 'LOCAL' }));
const weightOf = (id: unknown) => Number(String(id).slice(1)) + 1;

/** Three small subgraphs that use difficult parts of federation: keys, @requires, unions, interfaces and value types. */
const sources = {
  shops: {
    sdl: `type Query { shops(limit: Int): [Shop!]! shop(id: ID!): Shop nearest: Place thing(id: ID!): Thing }
      type Mutation { rename(id: ID!, name: String!): Shop! }
      enum Kind { LOCAL ONLINE }
      interface Place { id: ID! name: String! }
      union Thing = Shop | Product
      type Shop implements Place @key(fields: "id") { id: ID! name: String! kind: Kind! owner: Owner }
      type Owner { name: String! }
      type Product @key(fields: "id") { id: ID! }`,
    resolvers: {
      Query: {
        shops: (_: unknown, { limit = 4 }: { limit?: number }) => shops.slice(0, limit),
        shop: (_: unknown, { id }: Row) => shops.find((shop) => shop.id === id) ?? null,
        nearest: () => ({ __typename: 'Shop', ...shops[1] }),
        thing: (_: unknown, { id }: Row) =>
          String(id).startsWith('p') ? { __typename: 'Product', id } : { __typename: 'Shop', ...shops[0] },
      },
      Mutation: { rename: (_: unknown, { id, name }: Row) => ({ id, name, kind: 'LOCAL' }) },
      Shop: {
        owner: ({ id }: Row) => (id === 's2' ? null : { name: `Owner of ${id}` }),
        __resolveReference: ({ id }: Row) => shops.find((shop) => shop.id === id),
      },
    },
  },
  products: {
    sdl: `type Query { product(id: ID!): Product }
      type Shop @key(fields: "id") { id: ID! products: [Product!]! best: Product }
      type Product @key(fields: "id") { id: ID! title: String! price: Float! size: Int! }`,
    resolvers: {
      Query: { product: (_: unknown, { id }: Row) => ({ id }) },
      Shop: {
        products: ({ id }: Row) => [1, 2].map((number) => ({ id: `p${String(id).slice(1)}${number}` })),
        best: ({ id }: Row) => (id === 's3' ? null : { id: 'p9' }),
      },
      Product: { title: ({ id }: Row) => `Product ${id}`, price: ({ id }: Row) => weightOf(id) * 1.5, size: ({ id }: Row) => weightOf(id) },
    },
  },
  delivery: {
    sdl: `type Query { _delivery: Boolean }
      type Product @key(fields: "id") { id: ID! size: Int! @external cost(fast: Boolean): Int! @requires(fields: "size") reviews: [Review!] }
      type Review @key(fields: "id") { id: ID! text: String! about: Product! by: Shop }
      type Shop @key(fields: "id") { id: ID! }`,
    resolvers: {
      Product: {
        cost: ({ size }: Row, { fast }: Row) => (size as number) * (fast ? 10 : 1),
        reviews: ({ id }: Row) => {
          if (id === 'p01') throw new Error('reviews of p01 are broken');
          return [{ id: `r${id}`, text: 'Fine', about: { id }, by: { id: 's1' } }];
        },
      },
    },
  },
};

export interface Fixture {
  ours(query: string, variables?: Row): Promise<ExecutionResult>;
  /** Runs the query on Apollo's gateway over the same subgraphs. Tests compare the response of `ours` with this response. */
  theirs(query: string, variables?: Row): Promise<ExecutionResult>;
  /** The subgraph fetches of the last operation. */
  fetches: SubgraphFetch<object>[];
  /** Names of subgraphs that return an error for every request. */
  broken: Set<string>;
}

export async function createFixture(): Promise<Fixture> {
  const schemas = new Map<string, GraphQLSchema>(
    Object.entries(sources).map(([name, { sdl, resolvers }]) => [
      name,
      buildSubgraphSchema([{ typeDefs: parse(LINK + sdl), resolvers: resolvers as never }]),
    ]),
  );
  const supergraphSdl = composeSupergraph(
    Object.entries(sources).map(([name, { sdl }]) => ({ name, sdl: LINK + sdl, url: `http://${name}.invalid` })),
  );
  const planner = new QueryPlanner(supergraphSdl);
  const schema = buildASTSchema(transformSupergraphToPublicSchema(parse(supergraphSdl)), { assumeValid: true });
  const joins = new Joins(parse(supergraphSdl));
  const gateway = new ApolloGateway({
    supergraphSdl,
    buildService: ({ name }) => new LocalGraphQLDataSource(schemas.get(name) as GraphQLSchema),
  });
  const { executor } = await gateway.load();
  const fixture: Fixture = {
    fetches: [],
    broken: new Set(),
    async ours(query, variables = {}) {
      fixture.fetches.length = 0;
      const { definitions } = parse(query);
      const node = definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
      if (!node) throw new Error('There is no operation.');
      const fragments = new Map(
        definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION).map((fragment) => [fragment.name.value, fragment]),
      );
      const conditions = new Conditions(node, fragments);
      const decided = conditions.apply(conditions.decide(variables) as Decisions);
      const operation = await CompiledOperation.compile<object>(planner, { schema, joins }, decided.node, decided.fragments);
      return operation.run({
        variables,
        context: {},
        fetch(request) {
          fixture.fetches.push(request);
          if (fixture.broken.has(request.subgraph)) return { errors: [new Error(`${request.subgraph} is unavailable`) as never] };
          return execute({
            schema: schemas.get(request.subgraph) as GraphQLSchema,
            document: request.document,
            variableValues: request.variables,
          }) as ExecutionResult;
        },
      });
    },
    theirs: (query, variables = {}) => executor(apolloRequest(parse(query), query, variables) as never) as Promise<ExecutionResult>,
  };
  return fixture;
}

const apolloRequest = (document: DocumentNode, query: string, variables: Row) => ({
  document,
  source: query,
  operation: document.definitions.find(({ kind }) => kind === 'OperationDefinition'),
  operationName: null,
  queryHash: query,
  request: { query, variables },
  context: {},
  cache: { get: () => undefined, set: () => undefined, delete: () => undefined },
  logger: console,
  metrics: {},
});
