import type { FetchNode, PlanNode } from '@graphql-hive/router-query-planner';
import type { DocumentNode, ExecutionResult } from 'graphql';
import { compileBatch, compileFlatten } from './entities.ts';
import { errorAt, type RunErrors } from './errors.ts';
import { type JsonObject, mergeInto } from './merge.ts';
import { compileRewrites, renamesOf } from './rewrite.ts';
import { compileSend, parseFetch, responseKeys } from './send.ts';
import type { Types } from './types.ts';

/**
 * A request to one subgraph. `document` is the same object in every run of a plan, so that caches can use it as a key.
 */
export interface SubgraphFetch<C> {
  subgraph: string;
  document: DocumentNode;
  operationName: string | undefined;
  variables: Record<string, unknown>;
  context: C;
}
export type Fetch<C> = (request: SubgraphFetch<C>) => Promise<ExecutionResult> | ExecutionResult;

/** One execution of a plan, and the data that it has fetched so far. */
export interface Run<C> {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: C;
  readonly fetch: Fetch<C>;
  readonly data: JsonObject;
  readonly errors: RunErrors;
}
export type Step<C> = (run: Run<C>) => Promise<void> | void;

/**
 * Compiles a node of a plan: parses its documents, and prepares its paths and representations. A run of the plan then
 * only reads variables and data.
 */
export function compileStep<C>(node: PlanNode, types: Types): Step<C> {
  switch (node.kind) {
    case 'Fetch':
      return compileRootFetch(node, types);
    case 'Flatten':
      return compileFlatten(node, types);
    case 'BatchFetch':
      return compileBatch(node, types);
    case 'Sequence':
      return inSequence(node.nodes.map((child) => compileStep<C>(child, types)));
    case 'Parallel':
      return inParallel(node.nodes.map((child) => compileStep<C>(child, types)));
    default:
      // conditions are resolved before planning, and subscriptions are not planned
      throw new Error(`A query plan contains a ${node.kind} node, which is not supported.`);
  }
}

function inSequence<C>(steps: readonly Step<C>[]): Step<C> {
  return async (run) => {
    for (const step of steps) {
      const pending = step(run);
      if (pending) await pending;
    }
  };
}

function inParallel<C>(steps: readonly Step<C>[]): Step<C> {
  return async (run) => {
    await Promise.all(steps.map((step) => step(run)));
  };
}

function compileRootFetch<C>(node: FetchNode, { schema }: Types): Step<C> {
  const document = parseFetch(node);
  const send = compileSend<C>(node, document);
  const keys = responseKeys(document);
  const rewrite = compileRewrites(node.outputRewrites ?? [], schema);
  const rename = renamesOf(node.outputRewrites ?? []);
  return async (run) => {
    const { data, errors } = await send(run, {});
    for (const error of errors) {
      if (!error.path?.length) run.errors.fail(error, [[]], keys);
      else run.errors.add(rename ? errorAt(error, rename(error.path)) : error, data ? undefined : []);
    }
    if (data) mergeInto(run.data, rewrite(data));
  };
}
