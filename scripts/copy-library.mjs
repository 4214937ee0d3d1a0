/** Puts the articles of the knowledge base beside the compiled file that reads them. Part of `npm run build`. */
import { cpSync, rmSync } from 'node:fs';

const LIBRARY = 'subgraphs/support/knowledge/library';

// what is gone from the sources must not stay behind
rmSync(`dist/${LIBRARY}`, { recursive: true, force: true });
cpSync(LIBRARY, `dist/${LIBRARY}`, { recursive: true });
