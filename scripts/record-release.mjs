/**
 * `npm run record-release -- <name>` records the databases of this release, embedded and PostgreSQL, into
 * test/fixtures/releases/<name>. The databases contain records of every kind.
 * test/operations/releases.test.ts then opens them with every later version.
 * The script creates and drops a database on the server in RECORD_DATABASE_URL. It needs `tar` and `pg_dump`, and
 * `pg_dump` must not be older than the server.
 */
import { spawnSync } from 'node:child_process';

const [name = ''] = process.argv.slice(2);
if (!/^[\w.-]+$/.test(name)) {
  process.stderr.write('State the name of the release: RECORD_DATABASE_URL=postgres://… npm run record-release -- issue-12\n');
  process.exit(1);
}
const { RECORD_DATABASE_URL = 'postgres://postgres@127.0.0.1:5432/postgres' } = process.env;
const env = { ...process.env, RECORD_NAME: name, RECORD_DATABASE_URL };
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--mode', 'record'], { stdio: 'inherit', env });
process.exit(status ?? 1);
