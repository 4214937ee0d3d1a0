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
   * Creates the resolver context of one request: entity manager, services, loaders. Called once per request and
   * subgraph.
   */
  createContext(request: RequestContext): object;
  /**
   * Validates arguments by the rules of this subgraph, for a request in which other problems have already been found.
   * Absent if the subgraph cannot validate arguments separately.
   */
  readonly inputProblems?: InputProblems;
}
