import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Bundles GraphiQL from its package into files that the router serves itself: no CDN, nothing inline. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  publicDir: false,
  // React's packages say "use client" at their top, of which a bundle for browsers warns a thousand times
  logLevel: 'error',
  worker: { format: 'es' },
  build: {
    outDir: fileURLToPath(new URL('../../dist/graphiql', import.meta.url)),
    emptyOutDir: true,
    sourcemap: false,
    chunkSizeWarningLimit: 10_000,
  },
});
