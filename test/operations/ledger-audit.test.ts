import { expect, test } from 'vitest';
import { maintain } from '../../apps/tools/maintenance.tool.ts';
import { TestClock } from '../../kernel/clock.ts';
import { billedTenant } from '../billing.setup.ts';
import { onRig, start } from '../rig.ts';
import { keptDatabase } from '../support/kept-database.ts';
import { runInProcess } from '../support/tool.ts';

test('npm run maintenance audit-ledger lists the differences of all organizations, and exits with 1 if there are any', async () => {
  const key = { SECRET_KEY: 'a secret for tests that is long enough' };
  const kept = await keptDatabase(key);
  const own = await start({ ...kept.settings, ...key }, new TestClock());
  const { accountId, tenant } = await onRig(own, billedTenant);
  await own.close();
  const run = () => runInProcess(maintain, ['audit-ledger'], { ...kept.settings, ...key });
  const clean = await run();
  expect([clean.code, clean.stderr]).toEqual([0, '']);
  expect(clean.stdout).toContain('1 accounts of 1 organizations were audited: no differences.');
  await kept.sql(`update "billing"."account_balance" set "receivable" = "receivable" + 2.5`);
  const found = await run();
  expect(found.code).toBe(1);
  expect(found.stdout).toMatch(
    new RegExp(`${tenant.organizationId} ${accountId} balance:receivable USD: .* are posted, but .* are recorded`),
  );
  expect(found.stdout).toContain('1 differences');
}, 180_000);
