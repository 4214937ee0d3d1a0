import type { QueryPlanner } from '@graphql-hive/router-query-planner';
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  print,
} from 'graphql';
import { getVariableValues } from 'graphql/execution/values.js';
import type { JsonObject } from './merge.ts';
import { compileProjection, type Fragments, type Project } from './projection.ts';
import { compileStep, type Fetch, type Step } from './step.ts';

/** What one request brings to a compiled operation. */
export interface OperationRun<C> {
  variables: Readonly<Record<string, unknown>>;
  context: C;
  fetch: Fetch<C>;
}

/** An operation that was planned and compiled once, to be run for many requests. It holds no introspection but `__typename`. */
export class CompiledOperation<C> {
  private constructor(
    private readonly schema: GraphQLSchema,
    private readonly operation: OperationDefinitionNode,
    private readonly step: Step<C> | undefined,
    private readonly project: Project,
  ) {}

  /** Plans one operation of a validated document. */
  static async compile<C>(
    planner: QueryPlanner,
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    fragments: Fragments,
  ): Promise<CompiledOperation<C>> {
    const plan = needsPlan(operation)
      ? await planner.planAsync(textOf(operation, fragments), operation.name?.value ?? null, new Set(), 0)
      : undefined;
    const step = plan?.node && compileStep<C>(plan.node, schema);
    return new CompiledOperation(schema, operation, step, compileProjection(schema, operation, fragments));
  }

  /**
   * Answers without `data` where variables do not fit their types, and then nothing was fetched. What a subgraph does, or that
   * it does not answer, is an error of the answer.
   */
  async run({ variables, context, fetch }: OperationRun<C>): Promise<ExecutionResult<JsonObject>> {
    const { coerced, errors: invalid } = getVariableValues(this.schema, this.operation.variableDefinitions ?? [], variables, MAX_ERRORS);
    if (invalid) return { errors: invalid };

    const fetched: JsonObject = {};
    const errors: GraphQLError[] = [];
    if (this.step) await this.step({ variables: coerced, context, fetch, data: fetched, errors });
    const { data, broken } = this.project(fetched, coerced);
    // what failed has been said; else a record that another one refers to is not there
    if (broken && errors.length === 0)
      errors.push(new GraphQLError(`There is no value for ${broken.join('.')}, which may not be null.`, { path: broken }));
    return errors.length ? { data, errors } : { data };
  }
}

const MAX_ERRORS = { maxErrors: 20 };

/** Planners know nothing to do for `__typename` alone. */
const needsPlan = ({ selectionSet }: OperationDefinitionNode): boolean =>
  selectionSet.selections.some((selection) => selection.kind !== Kind.FIELD || selection.name.value !== '__typename');

const textOf = (operation: OperationDefinitionNode, fragments: Fragments): string =>
  print({ kind: Kind.DOCUMENT, definitions: [operation, ...fragments.values()] } satisfies DocumentNode);
