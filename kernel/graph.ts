import type { DocumentNode, ExecutionResult } from 'graphql';
import { Principal } from './access/principal.ts';
import { PlatformError } from './errors/errors.ts';
import type { RequestContext } from './request.ts';

export interface GraphRequest {
  /** The same object each time, so that what was parsed, planned and compiled can be kept by it. */
  document: DocumentNode;
  variables: Record<string, unknown>;
  operationName?: string;
  context: RequestContext;
}

/** Runs one operation on the whole graph. The data it answers becomes the caller's, who may change it in place. */
export type ExecuteGraph = (request: GraphRequest) => Promise<ExecutionResult>;

/**
 * The way of a subgraph to what another one knows: a query over the whole graph. Never inside a transaction: with PGlite the
 * other subgraph's statement would wait for that transaction, and the transaction for the statement.
 */
export class Graph {
  #execute: ExecuteGraph | undefined;

  /** Called once, when the router stands. */
  bind(execute: ExecuteGraph): void {
    this.#execute = execute;
  }

  /** Runs a query as the platform itself, within what the caller sees: for checks that a reference exists. */
  async query<T>(document: DocumentNode, variables: Record<string, unknown>, request: RequestContext): Promise<T> {
    if (!this.#execute) throw new Error('The graph is not bound yet.');
    const { organizationId, accounts } = request.principal;
    const principal = Principal.system('graph', organizationId, accounts);
    const { data, errors } = await this.#execute({ document, variables, context: { ...request, principal } });
    const unavailable = errors?.find(({ extensions }) => extensions.code === 'SERVICE_UNAVAILABLE')?.originalError;
    if (unavailable) throw unavailable;
    if (errors?.length)
      throw new PlatformError('INTERNAL_ERROR', 'A related record could not be read. Try again.', {}, { cause: errors[0] });
    return data as T;
  }
}
