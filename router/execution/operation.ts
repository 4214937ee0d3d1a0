import type { QueryPlanner } from '@graphql-hive/router-query-planner';
import { type ExecutionResult, type GraphQLError, type GraphQLSchema, Kind, type OperationDefinitionNode, print } from 'graphql';
import { getVariableValues } from 'graphql/execution/values.js';
import { type DistinctOperation, distinguish, selects } from './distinct.ts';
import { errorAt, RunErrors } from './errors.ts';
import type { JsonObject } from './merge.ts';
import type { Path } from './path.ts';
import { compileProjection, type Fragments, type Project } from './projection.ts';
import { compileStep, type Fetch, type Step } from './step.ts';
import { withTypenames } from './typenames.ts';
import type { Types } from './types.ts';

/** Input for one run of a compiled operation. */
export interface OperationRun<C> {
  variables: Readonly<Record<string, unknown>>;
  context: C;
  fetch: Fetch<C>;
}

/**
 * An operation that is planned and compiled once, and run for many requests.
 * It contains no `@skip` or `@include`, and no introspection except `__typename`.
 */
export class CompiledOperation<C> {
  private constructor(
    private readonly schema: GraphQLSchema,
    private readonly operation: OperationDefinitionNode,
    private readonly step: Step<C> | undefined,
    private readonly project: Project,
    private readonly distinct: DistinctOperation,
  ) {}

  /** Plans and compiles one operation of a validated document. Its `@skip` and `@include` must already be resolved. */
  static async compile<C>(
    planner: QueryPlanner,
    types: Types,
    operation: OperationDefinitionNode,
    fragments: Fragments,
  ): Promise<CompiledOperation<C>> {
    const { schema } = types;
    const distinct = distinguish(operation, fragments);
    const plan = needsPlan(operation)
      ? await planner.planAsync(textOf(schema, distinct), operation.name?.value ?? null, new Set(), 0)
      : undefined;
    const step = plan?.node && compileStep<C>(plan.node, types);
    return new CompiledOperation(schema, operation, step, compileProjection(schema, distinct), distinct);
  }

  /**
   * Runs the operation. Failures of subgraphs are in `errors`. If the variables do not match their types, nothing is
   * fetched, and the result has no `data`.
   */
  async run({ variables, context, fetch }: OperationRun<C>): Promise<ExecutionResult<JsonObject>> {
    const { coerced, errors: invalid } = getVariableValues(this.schema, this.operation.variableDefinitions ?? [], variables, MAX_ERRORS);
    if (invalid) return { errors: invalid };

    const fetched: JsonObject = {};
    const failures = new RunErrors();
    if (this.step) await this.step({ variables: coerced, context, fetch, data: fetched, errors: failures });
    const { data, problems } = this.project(fetched);
    if (problems.length === 0 && failures.areNone) return { data };
    const errors = failures
      .complete(problems, (path) => !this.#isShown(data, path) && selects(this.distinct, path))
      .map((error) => this.#asAsked(error));
    return errors.length > 0 ? { data, errors } : { data };
  }

  /** Returns true if the response contains the field at this path, or if a parent of the field is null. */
  #isShown(data: JsonObject | null, path: Path): boolean {
    let value: unknown = data;
    for (const step of path) {
      if (value === null) return true;
      const key = this.distinct.renamed.get(String(step)) ?? step;
      if (typeof value !== 'object' || !Object.hasOwn(value as object, key)) return false;
      value = (value as JsonObject)[key];
    }
    return true;
  }

  /** Returns the error with the client's response keys in its path, in place of the keys that `distinguish` chose. */
  #asAsked(error: GraphQLError): GraphQLError {
    const { renamed } = this.distinct;
    if (!error.path?.some((step) => typeof step === 'string' && renamed.has(step))) return error;
    return errorAt(
      error,
      error.path.map((step) => renamed.get(String(step)) ?? step),
    );
  }
}

const MAX_ERRORS = { maxErrors: 20 };

/**
 * Returns true if the operation selects data. Planners cannot plan an empty selection, or a selection of only
 * `__typename`.
 */
const needsPlan = ({ selectionSet }: OperationDefinitionNode): boolean =>
  selectionSet.selections.some((selection) => selection.kind !== Kind.FIELD || selection.name.value !== '__typename');

const textOf = (schema: GraphQLSchema, { operation, fragments }: DistinctOperation): string =>
  print(withTypenames(schema, { kind: Kind.DOCUMENT, definitions: [operation, ...fragments.values()] }));
