import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { composeSupergraph, type SubgraphSource } from '../../router/supergraph.ts';

/** Lies in dist/ whether this file runs from there or from source. */
const DIST = new URL(import.meta.url.includes('/dist/') ? '../../' : '../../dist/', import.meta.url);

/**
 * The supergraph of these subgraphs: what the build composed of the same ones (apps/tools/compose.ts), which saves a start a twentieth
 * of its time, or else composed now. @throws CompositionError
 */
export function supergraphOf(subgraphs: readonly SubgraphSource[]): string {
  const file = supergraphFile(subgraphs);
  return existsSync(file) ? readFileSync(file, 'utf8') : composeSupergraph(subgraphs);
}

/** The supergraph file that the build writes. Its name has a digest of the subgraphs, so that a file composed of other ones is never read. */
export function supergraphFile(subgraphs: readonly SubgraphSource[]): string {
  const sources = subgraphs.map(({ name, sdl }) => [name, sdl.trim()]).sort();
  const digest = createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 32);
  return fileURLToPath(new URL(`supergraph-${digest}.graphql`, DIST));
}
