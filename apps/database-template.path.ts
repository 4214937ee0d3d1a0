import { fileURLToPath } from 'node:url';

/** Built by apps/tools/database-template.ts; lies in dist/ whether this file runs from there or from source. */
export const DATABASE_TEMPLATE = fileURLToPath(
  new URL(import.meta.url.includes('/dist/') ? '../pgdata.tar' : '../dist/pgdata.tar', import.meta.url),
);
