import { buildSubgraphSchema } from '@apollo/subgraph';
import { type GraphQLSchema, parse } from 'graphql';

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable", "@external"])\n';

interface Owned {
  id: string;
  accountId: string;
}

const ACCOUNTS = 100;
const OWNED = 3;
const accounts = Array.from({ length: ACCOUNTS }, (_, n) => ({
  id: `acc_${n}`,
  name: `Account ${n}`,
  status: 'ACTIVE',
  email: `it@${n}.example`,
}));
const owned = <T>(prefix: string, rest: (n: number) => T): (Owned & T)[] =>
  accounts.flatMap(({ id }, a) => Array.from({ length: OWNED }, (_, n) => ({ id: `${prefix}_${a}_${n}`, accountId: id, ...rest(n) })));

const services = owned('svc', (n) => ({ name: `Fiber ${n}`, status: 'OPERATIONAL', bandwidth: '1000mbps' }));
const invoices = owned('inv', (n) => ({ number: `INV-${n}`, amount: 100 + n, status: 'PENDING' }));
const tickets = owned('ticket', (n) => ({ number: `T-${n}`, title: 'No link', priority: 'HIGH' })).map((ticket, n) => ({
  ...ticket,
  serviceId: services[n]?.id,
}));

function byAccount<T extends Owned>(records: readonly T[]): Map<string, T[]> {
  return new Map(accounts.map(({ id }) => [id, records.filter(({ accountId }) => accountId === id)]));
}
const accountById = new Map(accounts.map((account) => [account.id, account]));
const serviceById = new Map(services.map((service) => [service.id, service]));
const servicesOf = byAccount(services);
const invoicesOf = byAccount(invoices);
const ticketsOf = byAccount(tickets);

/** Returns the value asynchronously, like a resolver that reads a database through a loader. */
const soon = async <T>(value: T): Promise<T> => value;

const ownedBy =
  <T>(records: ReadonlyMap<string, T[]>) =>
  ({ id }: { id: string }): Promise<T[]> =>
    soon(records.get(id) ?? []);

const typeDefs = {
  identity: /* GraphQL */ `
    type Query { accounts(limit: Int = 20, offset: Int = 0): [Account!]! }
    type Account @key(fields: "id") { id: ID! name: String! status: String! email: String! }
  `,
  services: /* GraphQL */ `
    type Account @key(fields: "id") { id: ID! services: [Service!]! }
    type Service @key(fields: "id") { id: ID! name: String! status: String! bandwidth: String! }
  `,
  billing: /* GraphQL */ `
    type Account @key(fields: "id") { id: ID! invoices: [Invoice!]! }
    type Invoice @key(fields: "id") { id: ID! number: String! amount: Float! status: String! }
  `,
  support: /* GraphQL */ `
    type Account @key(fields: "id") { id: ID! tickets: [Ticket!]! }
    type Service @key(fields: "id") { id: ID! }
    type Ticket @key(fields: "id") { id: ID! number: String! title: String! priority: String! service: Service }
  `,
};

const Query = {
  accounts: (_: unknown, { limit, offset }: { limit: number; offset: number }) => soon(accounts.slice(offset, offset + limit)),
};
const Account = { services: ownedBy(servicesOf), invoices: ownedBy(invoicesOf), tickets: ownedBy(ticketsOf) };
const referenced = { __resolveReference: ({ id }: { id: string }) => soon({ id }) };

const resolvers = {
  identity: { Query, Account: { __resolveReference: ({ id }: { id: string }) => soon(accountById.get(id)) } },
  services: {
    Account: { ...referenced, services: Account.services },
    Service: { __resolveReference: ({ id }: { id: string }) => soon(serviceById.get(id)) },
  },
  billing: { Account: { ...referenced, invoices: Account.invoices } },
  support: {
    Account: { ...referenced, tickets: Account.tickets },
    Ticket: { service: ({ serviceId }: { serviceId: string }) => ({ id: serviceId }) },
  },
};

export type SubgraphName = keyof typeof typeDefs;

export interface BenchSubgraph {
  name: SubgraphName;
  sdl: string;
  schema: GraphQLSchema;
}

/**
 * Four subgraphs over the same data in memory. The resolvers do as little as possible, so that the router dominates the
 * result.
 */
export const subgraphs: BenchSubgraph[] = (Object.keys(typeDefs) as SubgraphName[]).map((name) => {
  const sdl = LINK + typeDefs[name];
  return { name, sdl, schema: buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers: resolvers[name] }]) };
});

/** One schema without federation, with the data of all `subgraphs`. Its speed is the upper limit for GraphQL. */
export const undivided: GraphQLSchema = buildSubgraphSchema([
  {
    typeDefs: parse(/* GraphQL */ `
      type Query { accounts(limit: Int = 20, offset: Int = 0): [Account!]! }
      type Account { id: ID! name: String! status: String! email: String! services: [Service!]! invoices: [Invoice!]! tickets: [Ticket!]! }
      type Service { id: ID! name: String! status: String! bandwidth: String! }
      type Invoice { id: ID! number: String! amount: Float! status: String! }
      type Ticket { id: ID! number: String! title: String! priority: String! service: Service }
    `),
    resolvers: { Query, Account, Ticket: { service: ({ serviceId }: { serviceId: string }) => soon(serviceById.get(serviceId)) } },
  },
]);

/** A query for 20 accounts and the 180 services, invoices and tickets that belong to them. */
export const query = /* GraphQL */ `
  query Overview($limit: Int!, $offset: Int!) {
    accounts(limit: $limit, offset: $offset) {
      id name status
      services { id name status bandwidth }
      invoices { id number amount status }
      tickets { id number title priority service { id name status } }
    }
  }
`;

export const variablesOf = (n: number): { limit: number; offset: number } => ({ limit: 20, offset: n % (ACCOUNTS - 20) });
