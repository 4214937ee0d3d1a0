import type { SubgraphSource } from '../../../router/supergraph.ts';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable", "@external", "@requires", "@provides", "@interfaceObject"])\n';

/**
 * Difficult parts of federation that the platform does not use: interfaces across subgraphs, lists of unions, `@requires`, value
 * types.
 */
const SOURCES: Record<string, string> = {
  catalog: `
    type Query {
      products(first: Int = 3, kind: Kind): [Product!]!
      product(id: ID!): Product
      search(text: String): [Hit!]!
      featured: Media
      node(id: ID!): Node
      nodes: [Node]
    }
    type Mutation { addBook(input: BookInput!): Book! removeProduct(id: ID!): Product }
    enum Kind { NEW USED }
    input BookInput { title: String! pages: Int kind: Kind = NEW tags: [String!] }
    interface Node { id: ID! }
    interface Product implements Node { id: ID! title: String! price: Money maker: Maker }
    interface Media implements Node { id: ID! title: String! }
    union Hit = Book | Film | Maker
    type Book implements Product & Media & Node @key(fields: "id") {
      id: ID! title: String! price: Money maker: Maker pages: Int! kind: Kind! parts: [[String!]] cover: Image
    }
    type Film implements Product & Media & Node @key(fields: "id") {
      id: ID! title: String! price: Money maker: Maker! minutes: Float sequels: [Film!] cover: Image
    }
    type Maker implements Node @key(fields: "id") @key(fields: "code") { id: ID! code: String! name: String }
    type Money @shareable { amount: Float! currency: String! }
    type Image @key(fields: "id") { id: ID! url(secure: Boolean): String }
  `,
  reviews: `
    type Query { latestReviews(limit: Int): [Review!]! topMedia: [Rated!] }
    interface Rated { id: ID! rating: Float reviews: [Review!]! }
    union Subject = Book | Film
    type Book implements Rated @key(fields: "id") { id: ID! rating: Float reviews: [Review!]! best: Review }
    type Film implements Rated @key(fields: "id") { id: ID! rating: Float reviews: [Review!]! }
    type Review @key(fields: "id") { id: ID! text: String! stars: Int about: Subject! by: Maker cost: Money }
    type Maker @key(fields: "code") { code: String! reviews: [Review!]! }
    type Money @shareable { amount: Float! currency: String! }
  `,
  stock: `
    type Query { warehouses: [Warehouse!]! }
    type Book @key(fields: "id") { id: ID! pages: Int! @external weight(unit: String = "g"): Int! @requires(fields: "pages") available: Boolean! }
    type Film @key(fields: "id") { id: ID! available: Boolean! places: [Warehouse] }
    type Warehouse @key(fields: "id") { id: ID! city: String! stores(limit: Int): [Item!]! }
    union Item = Book | Film
    type Image @key(fields: "id") { id: ID! thumbnail(width: Int!, format: String = "png"): String }
  `,
};

/** Subgraphs that share an interface. Two of them define it as an object type (`@interfaceObject`), one of these only with its key. */
const INTERFACE_OBJECTS: Record<string, string> = {
  library: `
    type Query { media: Media all: [Media!] }
    interface Media @key(fields: "id") { id: ID! title: String }
    type Book implements Media @key(fields: "id") { id: ID! title: String pages: Int }
    type Film implements Media @key(fields: "id") { id: ID! title: String minutes: Int }
  `,
  ratings: `
    type Query { rated: [Media!] }
    type Media @key(fields: "id") @interfaceObject { id: ID! rating: Int related: [Media!] by: Person }
    type Person @key(fields: "id") { id: ID! likes: Media }
  `,
  people: `
    type Query { person: Person }
    type Person @key(fields: "id") { id: ID! name: String favourite: Media }
    type Media @key(fields: "id", resolvable: false) @interfaceObject { id: ID! }
  `,
};

const linked = (sources: Record<string, string>): SubgraphSource[] =>
  Object.entries(sources).map(([name, sdl]) => ({ name, sdl: LINK + sdl }));
export const HARD = linked(SOURCES);
export const WITH_INTERFACE_OBJECTS = linked(INTERFACE_OBJECTS);
