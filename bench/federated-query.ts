import { deepStrictEqual } from 'node:assert';
import { ApolloGateway, LocalGraphQLDataSource } from '@apollo/gateway';
import { unifiedGraphHandler } from '@graphql-hive/router-runtime';
import { buildASTSchema, type DocumentNode, type ExecutionResult, execute, getOperationAST, parse } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { Principal } from '../kernel/access/principal.ts';
import { createLogger } from '../kernel/log/log.ts';
import { LocalTransport } from '../router/local-transport.ts';
import { createRouter } from '../router/router.ts';
import { composeSupergraph } from '../router/supergraph.ts';
import { type BenchSubgraph, query, subgraphs, undivided, variablesOf } from './federated-schema.ts';

export interface FederatedQueryRow {
  name: string;
  /** Queries per second, as the median of all rounds. */
  perSecond: number;
  /** `perSecond` divided by the `perSecond` of the first row. */
  ratio: number;
  /** Number of subgraph calls that one query needs. */
  subgraphCalls: number;
}

interface Contender {
  name: string;
  run(variables: Record<string, unknown>): Promise<ExecutionResult>;
  calls: { count: number };
}

const ROUNDS = 5;
const WARM_UP = 300;

/**
 * Measures one query over four subgraphs in this process (20 accounts, 180 objects), with varying variables.
 * Contenders: Apollo's gateway, Hive's runtime with graphql-js subgraphs, this router, and a single schema without
 * federation as the upper limit.
 * All responses are compared first. Rounds are interleaved, so that all contenders run under the same conditions.
 */
export async function measureFederatedQuery(roundMs = 600): Promise<FederatedQueryRow[]> {
  // each subgraph gets a URL, because Apollo's gateway warns about subgraphs without one
  const supergraphSdl = composeSupergraph(subgraphs.map((subgraph) => ({ ...subgraph, url: 'http://in-process' })));
  const contenders = [await apolloGateway(supergraphSdl), await hiveRuntime(supergraphSdl), await ourRouter(supergraphSdl), undividedJit()];
  const calls = await checkAnswers(contenders);
  const rates = contenders.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, contender] of contenders.entries()) rates[index]?.push(await rate(contender, roundMs));
  }
  const medians = rates.map((all) => all.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0);
  return contenders.map(({ name }, index) => ({
    name,
    perSecond: Math.round(medians[index] ?? 0),
    ratio: Number(((medians[index] ?? 0) / (medians[0] ?? 1)).toFixed(2)),
    subgraphCalls: calls[index] ?? 0,
  }));
}

/**
 * Checks that all contenders return the same data. Returns, for each contender, the number of subgraph calls that one
 * query needs.
 */
async function checkAnswers(contenders: readonly Contender[]): Promise<number[]> {
  const counts: number[] = [];
  let expected: unknown;
  for (const contender of contenders) {
    for (let n = 0; n < WARM_UP; n++) await contender.run(variablesOf(n));
    contender.calls.count = 0;
    const { data, errors } = await contender.run(variablesOf(7));
    if (errors) throw new Error(`${contender.name}: ${errors[0]?.message}`);
    counts.push(contender.calls.count);
    const plain: unknown = JSON.parse(JSON.stringify(data));
    expected ??= plain;
    deepStrictEqual(plain, expected, `${contender.name} answers something else`);
  }
  return counts;
}

async function rate({ run }: Contender, roundMs: number): Promise<number> {
  const started = performance.now();
  let done = 0;
  while (performance.now() - started < roundMs) {
    await run(variablesOf(done));
    done++;
  }
  return (done / (performance.now() - started)) * 1000;
}

async function apolloGateway(supergraphSdl: string): Promise<Contender> {
  const calls = { count: 0 };
  const gateway = new ApolloGateway({
    supergraphSdl,
    buildService: ({ name }) => {
      const source = new LocalGraphQLDataSource(subgraphNamed(name).schema);
      const process = source.process.bind(source);
      source.process = (request) => {
        calls.count++;
        return process(request);
      };
      return source;
    },
  });
  const { schema, executor } = await gateway.load();
  const document = parse(query);
  const operation = getOperationAST(document);
  // the request as Apollo Server passes it to the gateway: parsing, validation and HTTP are excluded for all contenders
  const request = {
    document,
    operation,
    operationName: 'Overview',
    queryHash: 'overview',
    source: query,
    schema,
    context: {},
    metrics: {},
    overallCachePolicy: {},
  };
  return {
    name: '@apollo/gateway',
    calls,
    run: (variables) => executor({ ...request, request: { query, variables } } as never) as Promise<ExecutionResult>,
  };
}

async function hiveRuntime(supergraphSdl: string): Promise<Contender> {
  const calls = { count: 0 };
  const { executor } = await unifiedGraphHandler({
    unifiedGraph: buildASTSchema(parse(supergraphSdl), { assumeValid: true, assumeValidSDL: true }),
    getUnifiedGraphSDL: () => supergraphSdl,
    onSubgraphExecute: ((name: string, { document, variables }: { document: DocumentNode; variables: Record<string, unknown> }) => {
      calls.count++;
      return execute({ schema: subgraphNamed(name).schema, document, variableValues: variables, contextValue: {} });
    }) as never,
  });
  const document = parse(query);
  return {
    name: 'Hive runtime, graphql-js subgraphs',
    calls,
    run: async (variables) => (await executor?.({ document, variables, context: {} })) as ExecutionResult,
  };
}

async function ourRouter(supergraphSdl: string): Promise<Contender> {
  const calls = { count: 0 };
  const transports = new Map(
    subgraphs.map((subgraph) => [subgraph.name as string, new LocalTransport({ ...subgraph, createContext: () => ({}) })]),
  );
  const log = createLogger({ level: 'silent' });
  const router = await createRouter({ supergraphSdl, transports, log, observer: { fetch: () => calls.count++ } });
  const document = parse(query);
  const principal = Principal.system('bench', 'org_bench');
  return {
    name: 'this router',
    calls,
    run: (variables) => router.execute({ document, variables, context: { requestId: 'req_bench', principal, log } }),
  };
}

function undividedJit(): Contender {
  const compiled = compileQuery(undivided, parse(query));
  if (!isCompiledQuery(compiled)) throw new Error('graphql-jit cannot compile the query');
  return {
    name: 'one undivided schema, graphql-jit',
    calls: { count: 0 },
    run: async (variables) => compiled.query(undefined, {}, variables) as ExecutionResult,
  };
}

function subgraphNamed(name: string): BenchSubgraph {
  const found = subgraphs.find((subgraph) => subgraph.name === name.toLowerCase());
  if (!found) throw new Error(`There is no subgraph ${name}.`);
  return found;
}
