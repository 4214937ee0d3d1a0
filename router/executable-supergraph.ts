import { QueryPlanner } from '@graphql-hive/router-query-planner';
import { transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import {
  buildASTSchema,
  type DocumentNode,
  type ExecutionResult,
  type FieldDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { describeApi, type RateOf, rateByWeight } from './api-schema.ts';
import type { CallerExecution } from './caller-execution.ts';
import { declaredCostsOf } from './cost.ts';
import { Documents, type PreparedOperation } from './documents.ts';
import { CompiledOperation } from './execution/operation.ts';
import type { Fetch } from './execution/step.ts';
import { dataPart, introspect } from './introspection.ts';
import { Joins } from './joins.ts';
import { type OperationLimits, rootFields } from './limits.ts';
import { checkScalars } from './scalars.ts';
import type { Transport, Variables } from './transport.ts';

/** Transports. The keys are the names of the subgraphs, as in `join__graph(name:)` of the supergraph. */
export type Transports = ReadonlyMap<string, Transport>;

/** Maximum number of cached introspection results. Each can be as large as the schema. */
const MAX_INTROSPECTIONS = 4;

/**
 * One version of the supergraph, ready to execute operations. This object contains the planner, the transports, and the
 * operations used so far.
 */
export class ExecutableSupergraph {
  readonly documents: Documents;
  /** Names of root fields that need no credentials. */
  readonly publicFields: ReadonlySet<string>;
  readonly #compiled = new WeakMap<PreparedOperation, Promise<CompiledOperation<CallerExecution>>>();
  readonly #introspections = new BoundedCache<PreparedOperation, ExecutionResult>(MAX_INTROSPECTIONS);

  readonly #describeApi: () => GraphQLSchema;
  #apiSchema: GraphQLSchema | undefined;

  private constructor(
    readonly supergraphSdl: string,
    /** The API schema. The descriptions of its root fields do not state permissions and costs; `apiSchema` adds them. */
    readonly schema: GraphQLSchema,
    readonly joins: Joins,
    private readonly planner: QueryPlanner,
    private readonly subgraphs: ReadonlyMap<string, NamedTransport>,
    supergraph: DocumentNode,
    limits: OperationLimits,
    rateOf: RateOf,
  ) {
    const costs = declaredCostsOf(supergraph);
    this.documents = new Documents(schema, limits, costs);
    this.publicFields = publicFieldsOf(supergraph);
    this.#describeApi = () => describeApi({ schema, supergraph, costs, limits, rateOf });
  }

  /** The schema that introspection returns. Its descriptions state permissions and costs. It is built at first use. */
  get apiSchema(): GraphQLSchema {
    this.#apiSchema ??= this.#describeApi();
    return this.#apiSchema;
  }

  /**
   * Loads a supergraph from its SDL.
   * @throws Error if the text is not a supergraph, or if `transports` lacks one of its subgraphs
   */
  static async load(
    supergraphSdl: string,
    transports: Transports,
    limits: OperationLimits,
    rateOf: RateOf = rateByWeight,
  ): Promise<ExecutableSupergraph> {
    const supergraph = parse(supergraphSdl, { noLocation: true });
    const joins = new Joins(supergraph);
    if (joins.graphs.size === 0) throw new Error('This is not a Federation 2 supergraph: it has no join__Graph.');
    for (const { name } of joins.graphs.values()) {
      if (!transports.has(name)) throw new Error(`The supergraph names the subgraph ${name}, for which there is no transport.`);
    }
    const schema = buildASTSchema(transformSupergraphToPublicSchema(supergraph), { assumeValid: true, assumeValidSDL: true });
    checkScalars(schema, transports);
    return new ExecutableSupergraph(
      supergraphSdl,
      schema,
      joins,
      new QueryPlanner(supergraphSdl),
      namedByGraph(joins, transports),
      supergraph,
      limits,
      rateOf,
    );
  }

  /** Plans and compiles an operation before its first execution. */
  async warm(operation: PreparedOperation): Promise<void> {
    if (operation.introspection !== 'only') await this.#compile(operation);
  }

  /** Executes an operation. The result has no `data` if the variables do not match their types. */
  async execute(operation: PreparedOperation, variables: Variables, execution: CallerExecution): Promise<ExecutionResult> {
    const { introspection } = operation;
    if (introspection === 'only') return this.#introspect(operation, variables);
    const compiled = await this.#compile(operation);
    const result = await compiled.run({ variables, context: execution, fetch: this.#fetch });
    return introspection === 'none' || !result.data ? result : merged(operation, result, this.#introspect(operation, variables));
  }

  /**
   * Returns the introspection part of a response. Results are cached, because tools repeat the same introspection
   * queries, and one of them takes as long as a hundred data operations.
   */
  #introspect(operation: PreparedOperation, variables: Variables): ExecutionResult {
    const known = this.#introspections.get(operation);
    if (known) return known;
    const result = introspect(this.apiSchema, operation, variables);
    if (!operation.node.variableDefinitions?.length) this.#introspections.set(operation, result);
    return result;
  }

  readonly #fetch: Fetch<CallerExecution> = ({ subgraph: graph, document, variables, context }) => {
    const subgraph = this.subgraphs.get(graph);
    if (!subgraph) throw new Error(`The plan names an unknown subgraph ${graph}.`);
    return context.fetch(subgraph.name, subgraph.transport, document, variables);
  };

  #compile(operation: PreparedOperation): Promise<CompiledOperation<CallerExecution>> {
    let compiled = this.#compiled.get(operation);
    if (!compiled) {
      const { fragments, introspection } = operation;
      const node: OperationDefinitionNode = introspection === 'mixed' ? dataPart(operation) : operation.node;
      compiled = CompiledOperation.compile(this.planner, this, node, fragments);
      this.#compiled.set(operation, compiled);
    }
    return compiled;
  }
}

const ROOTS = ['Query', 'Mutation', 'Subscription'];
const GUARDS = ['authenticated', 'requiresScopes', 'policy'];

function publicFieldsOf({ definitions }: DocumentNode): Set<string> {
  const fields = definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION && ROOTS.includes(definition.name.value) ? (definition.fields ?? []) : [],
  );
  const isGuarded = ({ directives = [] }: FieldDefinitionNode): boolean => directives.some(({ name }) => GUARDS.includes(name.value));
  return new Set(fields.filter((field) => !isGuarded(field)).map(({ name }) => name.value));
}

interface NamedTransport {
  name: string;
  transport: Transport;
}

/**
 * Returns a map in which each transport has two keys: the name of its subgraph, and the value of the enum `join__Graph`
 * for this subgraph. A plan can refer to the subgraph by either key.
 */
function namedByGraph({ graphs }: Joins, transports: Transports): Map<string, NamedTransport> {
  const named = new Map<string, NamedTransport>();
  for (const [value, { name }] of graphs) {
    const transport = transports.get(name) as Transport;
    named.set(value, { name, transport }).set(name, { name, transport });
  }
  return named;
}

/** Merges data and introspection into one response. The fields are in the order of the selection. */
function merged({ node, fragments }: PreparedOperation, { data, errors = [] }: ExecutionResult, about: ExecutionResult): ExecutionResult {
  const found: Record<string, unknown> = { ...data, ...about.data };
  const ordered = rootFields(node, fragments).flatMap((field) => {
    const key = (field.alias ?? field.name).value;
    return key in found ? [[key, found[key]] as const] : [];
  });
  const allErrors = [...errors, ...(about.errors ?? [])];
  return { data: Object.fromEntries(ordered), ...(allErrors.length > 0 ? { errors: allErrors } : {}) };
}
