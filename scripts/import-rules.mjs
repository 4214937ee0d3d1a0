/**
 * The rules that limit which folder or file may import which other. `to` and `except` may contain $1 and $2, the groups
 * matched by `from`.
 * `npm run check` prints `why` when a rule is broken. It states where the imported code belongs instead.
 */
const FEATURE_FILE = /^subgraphs\/([^/]+)\/([^/]+)\/(?!.*[.]test[.]ts$)/;

/**
 * For each top-level folder, the folders that it may import. The folder table of docs/architecture.md must contain the
 * same.
 */
export const folders = {
  kernel: {
    may: [],
    why: 'The kernel is what every folder may use. What belongs to one domain or surface lives there and is handed to the kernel as an argument.',
  },
  subgraphs: {
    may: ['kernel'],
    why: 'A subgraph is served by our router or any other, in process or over HTTP. What it needs of either goes into kernel/.',
  },
  router: { may: ['kernel'], why: 'The router runs any supergraph. What it does for ours is given to it in apps/.' },
  'rest-bridge': {
    may: ['kernel', 'router'],
    why: "The bridge sees the composed schema and the router's execute, never a subgraph: a REST route is an operation like any client's.",
  },
  apps: { may: ['kernel', 'subgraphs', 'router', 'rest-bridge'], why: 'Nothing that ships imports a measurement or a test.' },
  bench: {
    may: ['kernel', 'subgraphs', 'router', 'rest-bridge', 'apps'],
    why: 'What tests share is for tests; what both need goes into the folder that it is about.',
  },
  test: { may: ['kernel', 'subgraphs', 'router', 'rest-bridge', 'apps', 'bench'], why: 'Tests import from what they test.' },
};

/**
 * The kinds of files. The kind is the word between the file name and `.ts`, as in `ticket.service.ts`. No other word
 * may follow a dot: other names are joined with hyphens, as in `ticket-search.ts`.
 * `unit` is for `*.unit.test.ts`. The name of such a test starts with the whole name of the tested file.
 */
export const kinds = {
  build: 'runs at build time only',
  client: 'speaks to a server over the network',
  config: 'the configuration of a tool, which finds it by this name',
  document: 'generates a document',
  entity: 'a GraphQL type and its table',
  errors: 'errors with their codes',
  events: 'event types',
  inputs: 'input types with their rules',
  job: 'a queue of jobs and what each job does',
  loader: 'batched reads',
  mails: 'the texts of e-mails',
  page: 'an HTML page',
  provider: 'an external service behind an interface',
  reaction: 'what a domain does about an event of another one',
  resolver: 'GraphQL fields with their permissions',
  retention: 'deletes rows by age',
  routes: 'HTTP routes that are not of the graph',
  rules: 'pure checks of values',
  server: 'a server',
  service: 'the operations on a resource',
  setup: 'what tests of one area share',
  states: 'enums and state machines',
  store: 'statements on tables, without entities',
  sweeper: 'handles rows that have become due',
  test: 'a test',
  tool: 'a command line tool',
  types: 'GraphQL types without a table',
  unit: 'a test of one file, without a platform',
  values: 'types that are stored within an entity',
  verifier: 'verifies one kind of credential',
  worker: 'works a queue in the background',
};

export const rules = [
  {
    name: 'subgraphs meet in the graph',
    from: /^subgraphs\/([^/]+)\//,
    to: '^subgraphs/',
    except: '^subgraphs/$1/',
    why: 'A subgraph knows another only as an entity reference in its schema or as events: so each can move to a process and a database of its own.',
  },
  {
    name: 'a feature keeps its surface and its reading to itself',
    from: FEATURE_FILE,
    to: '^subgraphs/$1/[^/]+/.+[.](resolver|loader|inputs)[.]ts$',
    except: '^subgraphs/$1/$2/',
    why: 'Of another feature import its service, events, errors, entity, or the value that both speak of. Its resolver, loader and inputs are its own.',
  },
  {
    name: 'records do not know who uses them',
    from: /^subgraphs\/.+[.](entity|events|errors)[.]ts$/,
    to: '[.](service|resolver|loader)[.]ts$',
    why: 'Entities, events and errors are the bottom of a feature: a rule that needs more than the record belongs into the service.',
  },
  {
    name: 'services know no GraphQL',
    from: /[.]service[.]ts$/,
    to: '[.]resolver[.]ts$|^package:type-graphql',
    why: "A service says may they, does it exist, do it. The shapes of the graph are the resolver's.",
  },
  {
    name: 'resolvers know no database',
    from: /[.]resolver[.]ts$/,
    to: '^package:@mikro-orm/',
    why: 'A resolver is one or two lines a field: it calls a service or a loader, which reads.',
  },
  {
    name: 'nobody needs a test',
    from: /^(?!.*[.]test[.]ts$)/,
    to: '[.]test[.]ts$',
    why: 'A test is run and never imported. What tests share is a file of its own in test/.',
  },
];

/**
 * Exceptions from the rule that folders import each other in one direction only. The rule applies at run time, inside a
 * domain or a top-level folder. A file outside of the subfolders counts as a folder.
 * Each exception is an import in the other direction, and `why` states why every alternative is worse. An exception
 * that is no longer needed is an error.
 */
export const backwards = [
  {
    from: /^subgraphs\/.+[.]resolver[.]ts$/,
    to: /[.](entity|types|values)[.]ts$/,
    why: 'The relations of the graph lead both ways: the fields of a ticket show its agent, those of an agent its tickets.',
  },
  {
    from: /^subgraphs\/support\/knowledge\/article[.]service[.]ts$/,
    to: /^subgraphs\/support\/feedback\/feedback[.]entity[.]ts$/,
    why: 'An article is deleted with the feedback about it, in one transaction.',
  },
  {
    from: /^subgraphs\/support\/sla-policies\/sla-policy[.]service[.]ts$/,
    to: /^subgraphs\/support\/categories\/category-override[.]entity[.]ts$/,
    why: 'A policy that a category uses is not deleted.',
  },
  {
    from: /^subgraphs\/support\/tickets\/ticket-editor[.]ts$/,
    to: /^subgraphs\/support\/escalations\/store-escalation[.]ts$/,
    why: 'Every change of a ticket is made by TicketEditor, and a higher level is kept as an escalation in the same transaction.',
  },
];
