import type { GraphQLSchema } from 'graphql';
import type { InputProblems } from './graphql/input-problems.ts';
import type { RequestContext } from './request.ts';

/** A domain's part of the graph, ready to be composed and then executed in this process or served over HTTP. */
export interface Subgraph {
  /** For example `support`; also the name of its database schema. */
  readonly name: string;
  /** Its Federation 2 SDL, as committed in schema/<name>.graphql. */
  readonly sdl: string;
  /** The executable schema, with `_entities` and `_service`. */
  readonly schema: GraphQLSchema;
  /** Creates the resolver context of one request: entity manager, services, loaders. Called once per request and subgraph. */
  createContext(request: RequestContext): object;
  /**
   * Validates inputs by the rules of this subgraph, for a surface that has already found other problems. Absent if the subgraph cannot do
   * this.
   */
  readonly inputProblems?: InputProblems;
}
