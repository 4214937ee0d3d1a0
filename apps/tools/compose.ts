import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { composeSupergraph } from '../../router/supergraph.ts';
import { supergraphFile } from '../platform/composition.ts';

/**
 * Composes the supergraph of the committed subgraphs as part of `npm run build`, so that no start has to compose it.
 */
const subgraphs = globSync('schema/*.graphql')
  .map((path) => ({ name: basename(path, '.graphql'), sdl: readFileSync(path, 'utf8') }))
  .filter(({ name }) => name !== 'supergraph' && name !== 'api');
const file = supergraphFile(subgraphs);
const dist = dirname(file);
for (const earlier of globSync('supergraph-*.graphql', { cwd: dist })) rmSync(join(dist, earlier));
writeFileSync(file, composeSupergraph(subgraphs));
