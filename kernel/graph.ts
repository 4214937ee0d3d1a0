import type { DocumentNode, ExecutionResult } from 'graphql';
import { Principal } from './access/principal.ts';
import { PlatformError } from './errors/errors.ts';
import { copyRequest, type RequestContext } from './request.ts';

export interface GraphRequest {
  /**
   * The parsed operation. Every execution of an operation must pass the same object, because caches of parsed, planned
   * and compiled operations use the object as the key.
   */
  document: DocumentNode;
  variables: Record<string, unknown>;
  operationName?: string;
  context: RequestContext;
}

/** Runs one operation on the whole graph. The returned data is not shared: the caller may modify it. */
export type ExecuteGraph = (request: GraphRequest) => Promise<ExecutionResult>;

/**
 * Lets a subgraph query the whole graph, to read data of other subgraphs.
 * Never use it inside a transaction. With PGlite, the statement of the other subgraph would wait for the transaction,
 * and the transaction for the statement.
 */
export class Graph {
  #execute: ExecuteGraph | undefined;

  /** Connects the graph to the router. It is called once, when the router is ready. */
  bind(execute: ExecuteGraph): void {
    this.#execute = execute;
  }

  /**
   * Runs a query as the platform itself, limited to the accounts that the caller sees. Domains use it to check that a
   * referenced record exists.
   */
  async query<T>(document: DocumentNode, variables: Record<string, unknown>, request: RequestContext): Promise<T> {
    if (!this.#execute) throw new Error('The graph cannot be queried before the router is ready.');
    const { organizationId, accounts } = request.principal;
    const principal = Principal.system('graph', organizationId, accounts);
    const { data, errors } = await this.#execute({ document, variables, context: copyRequest(request, { principal }) });
    const unavailable = errors?.find(({ extensions }) => extensions.code === 'SERVICE_UNAVAILABLE')?.originalError;
    if (unavailable) throw unavailable;
    if (errors?.length)
      throw new PlatformError('INTERNAL_ERROR', 'A related record could not be read. Try again.', {}, { cause: errors[0] });
    return data as T;
  }
}
