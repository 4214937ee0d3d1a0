import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Bundles GraphiQL from its package into files that the router serves. The page needs no CDN and no inline scripts. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  publicDir: false,
  // hides about a thousand warnings: React's packages start with "use client", which bundles for browsers ignore
  logLevel: 'error',
  worker: { format: 'es' },
  build: {
    outDir: fileURLToPath(new URL('../../dist/graphiql', import.meta.url)),
    emptyOutDir: true,
    sourcemap: false,
    chunkSizeWarningLimit: 10_000,
  },
});
