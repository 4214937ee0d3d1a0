/** Copies the articles of the knowledge base next to the compiled file that reads them. Part of `npm run build`. */
import { cpSync, rmSync } from 'node:fs';

const LIBRARY = 'subgraphs/support/knowledge/library';

// removes articles that no longer exist in the sources
rmSync(`dist/${LIBRARY}`, { recursive: true, force: true });
cpSync(LIBRARY, `dist/${LIBRARY}`, { recursive: true });
