import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onRig, type Rig, start } from '../rig.ts';
import { type KeptDatabase, keptDatabase, refusalOf } from '../support/kept-database.ts';
import { temporaryFolder } from '../support/process.ts';
import { userOf } from '../users.setup.ts';

const RIGHT = { SECRET_KEY: 'the key that the database was started with' };
const WRONG = { SECRET_KEY: 'a key that somebody typed in by mistake..' };
const REFUSED =
  /^The secret key is not the one that this database was encrypted with.+ Set SECRET_KEY, or the file secret\.key of DATA_DIR/;

const startWith = (kept: KeptDatabase, key: Record<string, string>): Promise<Rig> => start({ ...kept.settings, ...key });
/** Removes the key check, as if only releases without the check had used the database. */
const forgetCheck = (kept: KeptDatabase) => kept.sql('delete from "platform"."secret_key_check"; delete from "platform"."hash_key"');

/** A database with secrets: a signing key, which the login of a user creates, and a webhook secret. */
async function withSecrets(): Promise<KeptDatabase> {
  const kept = await keptDatabase(RIGHT);
  const platform = await startWith(kept, RIGHT);
  const tenant = await platform.organization();
  await onRig(platform, () => userOf(tenant));
  await tenant.rest('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/hook', events: ['invoice.overdue'] } });
  await platform.close();
  return kept;
}

test('the platform does not start with a secret key that differs from the secret key of its first start', async () => {
  const kept = await keptDatabase(RIGHT);
  await kept.startedOnce(RIGHT);
  expect(await refusalOf(startWith(kept, WRONG))).toMatch(REFUSED);
  await kept.startedOnce(RIGHT);
});

test.runIf(process.env.TEST_DATABASE_URL)(
  'if two processes with different secret keys start on a new database, one process fails to start',
  async () => {
    const kept = await keptDatabase(RIGHT);
    await forgetCheck(kept);
    const outcomes = await Promise.allSettled([startWith(kept, RIGHT), startWith(kept, { ...WRONG, DATA_DIR: temporaryFolder() })]);
    for (const one of outcomes) if (one.status === 'fulfilled') await one.value.close();
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  },
);

describe('databases without a key check', () => {
  test('without a stored key check, the platform does not start if the secret key decrypts no secret of the database', async () => {
    const kept = await withSecrets();
    await forgetCheck(kept);
    expect(await refusalOf(startWith(kept, WRONG))).toMatch(REFUSED);
    expect(await kept.sql('select from "platform"."secret_key_check"')).toEqual([]);
    await kept.startedOnce(RIGHT);
    expect(await refusalOf(startWith(kept, WRONG))).toMatch(REFUSED);
  });

  test('without a stored key check, the platform starts if the secret key decrypts some but not all secrets', async () => {
    const kept = await withSecrets();
    await forgetCheck(kept);
    await kept.sql(`update "events"."webhook" set "sealed_secret" = 'v1.AAAA'`);
    await kept.startedOnce(RIGHT);
  });
});

describe('data folder with a database', () => {
  const embedded = (dataDir: string) => start({ DATABASE_URL: '', DATA_DIR: dataDir, SECRET_KEY: '' });

  test('the platform does not start if the key file of its data folder is missing or empty, and creates no new key', async () => {
    const dataDir = temporaryFolder();
    await (await embedded(dataDir)).close();
    const file = join(dataDir, 'secret.key');
    rmSync(file);
    expect(await refusalOf(embedded(dataDir))).toMatch(
      /has a database, and its key .+secret\.key is missing: put the key back from a backup/,
    );
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, '');
    expect(await refusalOf(embedded(dataDir))).toMatch(/secret\.key is empty: put the key back/);
  });

  test('the platform does not start if its data folder contains the key of another data folder', async () => {
    const dataDir = temporaryFolder();
    await (await embedded(dataDir)).close();
    writeFileSync(join(dataDir, 'secret.key'), `${'k'.repeat(43)}\n`);
    expect(await refusalOf(embedded(dataDir))).toMatch(REFUSED);
  });
});
