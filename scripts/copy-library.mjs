/** Copies the articles of the knowledge base beside the compiled file that reads them: part of `npm run build`. */
import { cpSync, rmSync } from 'node:fs';

const LIBRARY = 'subgraphs/support/knowledge/library';

// deletes articles that were removed from the sources
rmSync(`dist/${LIBRARY}`, { recursive: true, force: true });
cpSync(LIBRARY, `dist/${LIBRARY}`, { recursive: true });
