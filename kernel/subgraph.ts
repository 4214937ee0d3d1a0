import type { GraphQLSchema } from 'graphql';
import type { InputProblems } from './graphql/input-problems.ts';
import type { RequestContext } from './request.ts';

/**
 * The part of the graph that one domain implements. It is composed into the graph of all domains. A subgraph is
 * executed in this process or served over HTTP.
 */
export interface Subgraph {
  /** The name of the subgraph and of its database schema, such as `support`. */
  readonly name: string;
  /** The Federation 2 SDL, as committed in schema/<name>.graphql. */
  readonly sdl: string;
  /** The executable schema, with `_entities` and `_service`. */
  readonly schema: GraphQLSchema;
  /**
   * Creates the resolver context of a request: entity manager, service classes and loaders. The operations of a request share one context.
   * Each event of a subscription gets a new context.
   */
  createContext(request: RequestContext): object;
  /**
   * Runs an operation of a request within another function, for example with the sandbox clock of the caller's organization. Absent if
   * operations need no such function.
   */
  readonly around?: <T>(request: RequestContext, act: () => T | Promise<T>) => Promise<T>;
  /**
   * Validates arguments by the rules of this subgraph, without running a resolver. It is used for a request that is
   * already known to be invalid, so that one response can list all problems. Absent if the subgraph cannot validate
   * arguments separately.
   */
  readonly inputProblems?: InputProblems;
}
