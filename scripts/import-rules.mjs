/**
 * The rules that limit which folder or file may import which other. `to` and `except` may contain $1 and $2, the groups
 * matched by `from`.
 * `npm run check` prints `why` when a rule is broken. `why` states where the imported code belongs instead.
 */
const FEATURE_FILE = /^subgraphs\/([^/]+)\/([^/]+)\/(?!.*[.]test[.]ts$)/;

/**
 * For each top-level folder, the folders that it may import. The folder table of docs/architecture.md must contain the
 * same.
 */
export const folders = {
  kernel: {
    may: [],
    why: 'Every folder may use the kernel, so the kernel may use none. Code of one domain or API belongs there, and is passed to the kernel as an argument.',
  },
  subgraphs: {
    may: ['kernel'],
    why: 'Any router can serve a subgraph, in process or over HTTP. Code that a subgraph needs from a router belongs into kernel/.',
  },
  router: { may: ['kernel'], why: 'The router runs any supergraph. Code that is specific to this platform is passed to it in apps/.' },
  'rest-bridge': {
    may: ['kernel', 'router'],
    why: "The bridge uses only the composed schema and the router's execute function: a REST route runs an operation like any client.",
  },
  apps: { may: ['kernel', 'subgraphs', 'router', 'rest-bridge'], why: 'Released code does not import a measurement or a test.' },
  bench: {
    may: ['kernel', 'subgraphs', 'router', 'rest-bridge', 'apps'],
    why: 'Helpers in test/ are for tests only. Code that measurements need too belongs into the folder that it is about.',
  },
  test: { may: ['kernel', 'subgraphs', 'router', 'rest-bridge', 'apps', 'bench'], why: 'Tests may import every folder that they test.' },
};

/**
 * The kinds of files. The kind is the word between the file name and `.ts`, as in `ticket.service.ts`. No other word
 * may follow a dot: other names are joined with hyphens, as in `ticket-search.ts`.
 * `unit` is for `*.unit.test.ts`. The name of such a test starts with the whole name of the tested file.
 */
export const kinds = {
  build: 'runs at build time only',
  client: 'sends requests to a server over the network',
  config: 'the configuration of a tool, which finds the file by this name',
  document: 'generates a document',
  entity: 'a GraphQL type and its table',
  errors: 'errors with their codes',
  events: 'event types',
  inputs: 'input types with their rules',
  job: 'a queue of jobs, and the code that runs a job',
  loader: 'batched reads',
  mails: 'the texts of e-mails',
  page: 'an HTML page',
  product: 'a kind of service that can be ordered',
  provider: 'an external service behind an interface',
  reaction: 'code of a domain that handles events of another domain',
  resolver: 'GraphQL fields with their permissions',
  retention: 'deletes rows by age',
  routes: 'HTTP routes that do not run in the graph',
  rules: 'pure checks of values',
  server: 'a server',
  service: 'the operations on a resource',
  setup: 'helpers that the tests of one area share',
  states: 'enums and state machines',
  store: 'statements on tables, without entities',
  sweeper: 'handles rows that have become due',
  test: 'a test',
  tool: 'a command line tool',
  types: 'GraphQL types without a table',
  unit: 'a test of one file, without a platform',
  values: 'types that are stored within an entity',
  verifier: 'verifies one kind of credential',
  worker: 'processes a queue in the background',
};

export const rules = [
  {
    name: 'a subgraph must not import another subgraph',
    from: /^subgraphs\/([^/]+)\//,
    to: '^subgraphs/',
    except: '^subgraphs/$1/',
    why: 'Subgraphs use each other only through entity references in their schemas and through events. So each subgraph can move to its own process and database.',
  },
  {
    name: 'a feature must not import the resolver, loader or inputs of another feature',
    from: FEATURE_FILE,
    to: '^subgraphs/$1/[^/]+/.+[.](resolver|loader|inputs)[.]ts$',
    except: '^subgraphs/$1/$2/',
    why: 'From another feature, import its service, events, errors, entity or values. Its resolver, loader and inputs are private.',
  },
  {
    name: 'an entity, event or error must not import a service, resolver or loader',
    from: /^subgraphs\/.+[.](entity|events|errors)[.]ts$/,
    to: '[.](service|resolver|loader)[.]ts$',
    why: 'Entities, events and errors are the lowest layer of a feature. A rule that needs more than the record belongs into the service.',
  },
  {
    name: 'a service must not import GraphQL code',
    from: /[.]service[.]ts$/,
    to: '[.]resolver[.]ts$|^package:type-graphql',
    why: 'A service checks permissions, finds the record and changes it. The resolver converts between the service and GraphQL.',
  },
  {
    name: 'a resolver must not import the database',
    from: /[.]resolver[.]ts$/,
    to: '^package:@mikro-orm/',
    why: 'A resolver has one or two lines for each field. It calls a service or a loader, which reads from the database.',
  },
  {
    name: 'a test must not be imported',
    from: /^(?!.*[.]test[.]ts$)/,
    to: '[.]test[.]ts$',
    why: 'Test files are only run. Code that several tests share belongs into a separate file in test/.',
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
    why: 'Relations of the graph go in both directions: a ticket has a field for its agent, and an agent has a field for its tickets.',
  },
  {
    from: /^subgraphs\/support\/knowledge\/article[.]service[.]ts$/,
    to: /^subgraphs\/support\/feedback\/feedback[.]entity[.]ts$/,
    why: 'An article and the feedback about it are deleted in one transaction.',
  },
  {
    from: /^subgraphs\/support\/sla-policies\/sla-policy[.]service[.]ts$/,
    to: /^subgraphs\/support\/categories\/category-override[.]entity[.]ts$/,
    why: 'The service must check that no category uses the policy before it deletes the policy.',
  },
  {
    from: /^subgraphs\/support\/tickets\/ticket-editor[.]ts$/,
    to: /^subgraphs\/support\/escalations\/store-escalation[.]ts$/,
    why: 'TicketEditor makes every change of a ticket. It stores a higher level as an escalation in the same transaction.',
  },
];
