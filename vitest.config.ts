import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const graphqlIndex = fileURLToPath(new URL('./node_modules/graphql/index.js', import.meta.url));

/**
 * Runs files that start processes first. By default Vitest begins with the slowest files, and sorts files without a recorded time by
 * size. Files that start processes are short but slow, so one of them could run last, with the other worker idle.
 */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const startsProcesses = ({ moduleId }: TestSpecification) => moduleId.includes('/test/reliability/');
    return [...sorted.filter(startsProcesses), ...sorted.filter((file) => !startsProcesses(file))];
  }
}

/** Test files of the modes that run only some files. In the mode `pooled`, platforms reach PostgreSQL through PgBouncer. */
const INCLUDED: Readonly<Record<string, string[]>> = {
  examples: ['test/examples/record.ts'],
  record: ['test/releases/record.ts'],
  pooled: ['test/{rest,graphql}/**/*.test.ts'],
};

/**
 * `--mode services` (npm run test:services) runs the same suites on PostgreSQL and Redis, which must be running.
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
      // loads the platform's modules once per worker instead of once per file
      isolate: false,
      maxWorkers: 2,
      sequence: { sequencer: ProcessesFirst },
      // far longer than any test needs, because the other workers may be busy and the machine slow
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 10_000 } },
      teardownTimeout: 10_000,
      restoreMocks: true,
      unstubEnvs: true,
    },
  };
});
