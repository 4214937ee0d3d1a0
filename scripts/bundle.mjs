/**
 * Bundles the programs that are started often into dist/programs/. Without it, loading four thousand modules one by one takes most of
 * the start time of a process. Development tools and tests run the modules unbundled.
 */
import { dirname, relative, resolve } from 'node:path';
import { build } from 'rolldown';

const DIST = resolve('dist');
const OUT = `${DIST}/programs`;

/** Packages that are not bundled: they load files from their own folder, or are loaded only when they are used. */
const LEFT_ALONE = [
  '@aws-sdk/client-s3',
  '@electric-sql/pglite',
  '@graphql-hive/router-query-planner',
  'maxmind',
  'oidc-provider',
  'pg-native',
  'pino',
];

/** Makes `import.meta.url` point to the original folder, so that modules still find the files beside them. */
const placesOfModules = {
  name: 'places-of-modules',
  transform(code, id) {
    if (!id.startsWith(DIST) || !code.includes('import.meta.url')) return null;
    return code.replaceAll('import.meta.url', `new URL('${relative(OUT, dirname(id))}/', import.meta.url).href`);
  },
};

/** Tools of a running installation, each `npm run <name>`. */
const TOOLS = ['maintenance', 'migrate', 'operator', 'reset-admin', 'rotate-signing-key'];

await build({
  input: {
    platform: `${DIST}/apps/platform/main.js`,
    router: `${DIST}/apps/router/main.js`,
    ...Object.fromEntries(TOOLS.map((name) => [name, `${DIST}/apps/tools/${name}.js`])),
  },
  platform: 'node',
  external: (id) => LEFT_ALONE.some((name) => id === name || id.startsWith(`${name}/`)),
  // graphql reads it when it is loaded, which in a bundle is before our first line
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  plugins: [placesOfModules],
  logLevel: 'silent',
  output: { dir: OUT, cleanDir: true, format: 'esm', keepNames: true, chunkFileNames: '[name].js' },
});
