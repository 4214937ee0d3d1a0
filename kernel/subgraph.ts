import type { GraphQLSchema } from 'graphql';
import type { InputProblems } from './graphql/input-problems.ts';
import type { RequestContext } from './request.ts';

/** A domain's part of the graph, ready to be composed and executed in this process or served over HTTP. */
export interface Subgraph {
  /** `support`; also the name of its database schema. */
  readonly name: string;
  /** Its Federation 2 SDL, as committed in schema/<name>.graphql. */
  readonly sdl: string;
  /** Executable, with `_entities` and `_service`. */
  readonly schema: GraphQLSchema;
  /** The resolvers' context of one request: entity manager, services, loaders. Called once per request and subgraph. */
  createContext(request: RequestContext): object;
  /** What the rules of its inputs find, for a surface that has found problems itself. Absent where that cannot be asked. */
  readonly inputProblems?: InputProblems;
}
