import { type CompositionResult, composeServices, compositionHasErrors, type ServiceDefinition } from '@theguild/federation-composition';
import { type GraphQLError, parse } from 'graphql';

export interface SubgraphSource {
  name: string;
  /** The subgraph's schema in Federation 2 SDL. */
  sdl: string;
  /** HTTP URL of the subgraph. It becomes `join__graph(url:)` in the supergraph. */
  url?: string;
}

/** The error for subgraphs that do not compose to a supergraph. The message lists all reasons, one per line. */
export class CompositionError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The subgraphs do not compose:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.name = new.target.name;
  }
}

/**
 * Composes Federation 2 subgraphs and returns the SDL of the supergraph.
 * @throws CompositionError if the subgraphs do not compose
 */
export function composeSupergraph(subgraphs: readonly SubgraphSource[]): string {
  const result: CompositionResult = composeServices(subgraphs.map(toService));
  if (compositionHasErrors(result)) throw new CompositionError(result.errors.map(describe));
  return result.supergraphSdl;
}

function toService({ name, sdl, url }: SubgraphSource): ServiceDefinition {
  try {
    return { name, typeDefs: parse(sdl), ...(url ? { url } : {}) };
  } catch (error) {
    throw new CompositionError([`[${name}] ${error instanceof Error ? error.message : String(error)}`]);
  }
}

function describe({ message, extensions }: GraphQLError): string {
  const code = extensions.code;
  return code ? `${message} (${String(code)})` : message;
}
