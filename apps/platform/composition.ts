import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { composeSupergraph, type SubgraphSource } from '../../router/supergraph.ts';

/** The folder dist/, whether this file runs from there or from source. */
const DIST = new URL(import.meta.url.includes('/dist/') ? '../../' : '../../dist/', import.meta.url);

/**
 * Returns the supergraph of the subgraphs: the file that the build composed from the same subgraphs (apps/tools/compose.ts), which saves a
 * twentieth of the start time, otherwise it is composed now.
 * @throws CompositionError
 */
export function supergraphOf(subgraphs: readonly SubgraphSource[]): string {
  const file = supergraphFile(subgraphs);
  return existsSync(file) ? readFileSync(file, 'utf8') : composeSupergraph(subgraphs);
}

/**
 * Path of the supergraph file that the build writes. Its name contains a digest of the subgraphs, so that a file of other subgraphs is
 * never read.
 */
export function supergraphFile(subgraphs: readonly SubgraphSource[]): string {
  const sources = subgraphs.map(({ name, sdl }) => [name, sdl.trim()]).sort();
  const digest = createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 32);
  return fileURLToPath(new URL(`supergraph-${digest}.graphql`, DIST));
}
