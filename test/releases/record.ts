import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase, dropDatabases, scratchName } from '../../bench/scratch-database.ts';
import { scratchFolder } from '../../bench/scratch-folder.ts';
import { TestClock } from '../../kernel/clock.ts';
import type { ConfigSource } from '../../kernel/settings/config.ts';
import { onRig, type Rig, start } from '../rig.ts';
import { createHistory } from './history.ts';
import { describeRelease, dump, packFolder, RELEASES, type Recording, SETTINGS } from './release.ts';

const { RECORD_NAME: name = '', RECORD_DATABASE_URL: server = '' } = process.env;
const SECRET_KEY = 'the secret key of a recorded platform';

/**
 * The command `npm run record-release -- <name>` runs this recording. It is written as a test, so that it can use the test
 * helpers that create records.
 */
test('the database of this release is recorded for upgrade tests, embedded and on PostgreSQL', async () => {
  expect(name, 'npm run record-release -- <name>').toMatch(/^[\w.-]+$/);
  expect(server, 'RECORD_DATABASE_URL must be the URL of a PostgreSQL server, where a database is created and dropped').not.toBe('');
  mkdirSync(join(RELEASES, name), { recursive: true });

  const [embeddedData, postgresData] = [scratchFolder(), scratchFolder()];
  const embedded = await recorded({ DATABASE_URL: '', DATA_DIR: embeddedData, SECRET_KEY: '' });
  packFolder(name, 'embedded', embeddedData);

  const database = scratchName('platform_record');
  const url = await createDatabase(server, database);
  const postgres = { ...(await recorded({ DATABASE_URL: url, DATA_DIR: postgresData, SECRET_KEY })), secretKey: SECRET_KEY };
  packFolder(name, 'postgres', postgresData);
  dump(name, url);
  await dropDatabases(server, database);

  const commit = execFileSync('git', ['rev-parse', 'HEAD']).toString().trim();
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  describeRelease({ name, version, commit, recordedAt: new Date().toISOString(), embedded, postgres });
}, 300_000);

/** Starts a platform with these settings, creates records of every kind and stops the platform. */
async function recorded(settings: ConfigSource): Promise<Recording> {
  const platform: Rig = await start({ ...SETTINGS, REDIS_URL: '', ...settings }, new TestClock());
  try {
    const tenant = await platform.organization({ plan: 'custom' });
    const history = await onRig(platform, () => createHistory(tenant, 'Before the upgrade'));
    return { organizationId: tenant.organizationId, apiKey: tenant.apiKey, ...history };
  } finally {
    await platform.close();
  }
}
