/**
 * Bundles frequently started programs into dist/programs/. Without bundles, loading four thousand modules takes most of
 * the start time of a process.
 * Development tools and tests run the modules unbundled.
 */
import { dirname, relative, resolve } from 'node:path';
import { build } from 'rolldown';

const DIST = resolve('dist');
const OUT = `${DIST}/programs`;

/**
 * Packages that are not bundled, because they load files from their own folder, or are loaded only when they are
 * needed.
 */
const NOT_BUNDLED = [
  '@aws-sdk/client-s3',
  '@electric-sql/pglite',
  '@graphql-hive/router-query-planner',
  'maxmind',
  'oidc-provider',
  'pg-native',
  'pino',
];

/**
 * Makes `import.meta.url` in a bundled module the URL of its original file, so that the module finds the files next to
 * its original file.
 */
const originalModuleUrls = {
  name: 'places-of-modules',
  transform(code, id) {
    if (!id.startsWith(DIST) || !code.includes('import.meta.url')) return null;
    return code.replaceAll('import.meta.url', `new URL('${relative(OUT, dirname(id))}/', import.meta.url).href`);
  },
};

/** Command line tools for a running installation. Each is started with `npm run <name>`. */
const TOOLS = ['maintenance', 'migrate', 'operator', 'reset-admin', 'rotate-signing-key'];

await build({
  input: {
    platform: `${DIST}/apps/platform/main.js`,
    router: `${DIST}/apps/router/main.js`,
    ...Object.fromEntries(TOOLS.map((name) => [name, `${DIST}/apps/tools/${name}.js`])),
  },
  platform: 'node',
  external: (id) => NOT_BUNDLED.some((name) => id === name || id.startsWith(`${name}/`)),
  // graphql reads NODE_ENV when it is loaded: in a bundle, this is before the first line of the program
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  plugins: [originalModuleUrls],
  logLevel: 'silent',
  output: { dir: OUT, cleanDir: true, format: 'esm', keepNames: true, chunkFileNames: '[name].js' },
});
