import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const graphqlIndex = fileURLToPath(new URL('./node_modules/graphql/index.js', import.meta.url));

/**
 * Vitest begins with the files that took longest, and orders those that it has not run yet by their size. Those that start
 * processes are short and take long: one of them would be left at the end, with the other worker idle.
 */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const startsProcesses = ({ moduleId }: TestSpecification) => moduleId.includes('/test/reliability/');
    return [...sorted.filter(startsProcesses), ...sorted.filter((file) => !startsProcesses(file))];
  }
}

/** What the modes run that do not run everything: of `pooled` the platforms reach PostgreSQL through PgBouncer. */
const INCLUDED: Readonly<Record<string, string[]>> = {
  examples: ['test/examples/record.ts'],
  record: ['test/releases/record.ts'],
  pooled: ['test/{rest,graphql}/**/*.test.ts'],
};

/**
 * `--mode services` (npm run test:services) runs the same suites on a PostgreSQL and a Redis, which must be there.
 * `--mode examples` (npm run examples) records the examples of the OpenAPI document.
 * `--mode record` (npm run record-release) runs no test: it records the databases that test/operations/releases.test.ts opens.
 */
export default defineConfig(({ mode }) => {
  const onServices = mode === 'pooled' || mode === 'services';
  return {
    resolve: {
      // Vite would load graphql's ES modules for our files while libraries load its CommonJS ones: two realms, in which
      // every `instanceof GraphQLError` is false. Node itself takes index.js for both.
      alias: [{ find: /^graphql$/, replacement: graphqlIndex }],
    },
    test: {
      include: INCLUDED[mode] ?? ['test/**/*.test.ts', '{kernel,router,rest-bridge,subgraphs,apps}/**/*.unit.test.ts'],
      globalSetup: ['test/support/scratch.setup.ts', ...(onServices ? ['test/support/services.setup.ts'] : [])],
      setupFiles: ['test/support/worker.setup.ts'],
      pool: 'forks',
      // The platform's modules are loaded once in a worker, not once for every file.
      isolate: false,
      maxWorkers: 2,
      sequence: { sequencer: ProcessesFirst },
      testTimeout: 60_000,
      hookTimeout: 60_000,
      teardownTimeout: 10_000,
      restoreMocks: true,
      unstubEnvs: true,
    },
  };
});
