import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { onlyTable } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

const HOUR_MS = 3_600_000;

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

async function readyReport(): Promise<Json> {
  const { id } = (await tenant.rest('POST', '/support/reports/generate', { body: { report_type: 'usage' } })).body.report;
  return eventually(async () => {
    const { report } = (await tenant.rest('GET', `/support/reports/${id}`)).body;
    return report.status === 'ready' && report;
  });
}
const fileOf = (id: string) => join(platform.dataDir, 'files', 'reports', tenant.organizationId, `${id}.json`);
const remove = (id: string) => tenant.rest('DELETE', `/support/reports/${id}`);

test('a deleted report returns 404, its download link returns 404 and its file is deleted', async () => {
  const { id, report_type, created_at, download_url: url } = await readyReport();
  expect((await fetch(url)).status).toBe(200);
  expect(existsSync(fileOf(id))).toBe(true);
  expect(await remove(id)).toMatchObject({ status: 200, body: { report: { id, report_type, created_at } } });
  expect((await tenant.rest('GET', `/support/reports/${id}`)).status).toBe(404);
  expect((await tenant.rest('GET', '/support/reports')).body.reports.map((report: Json) => report.id)).not.toContain(id);
  expect((await fetch(url)).status).toBe(404);
  await eventually(() => !existsSync(fileOf(id)));
});

test('the file of a deleted report is deleted even if the clock of the process is ahead of the database clock', async () => {
  const { id } = await readyReport();
  platform.clock.advance(HOUR_MS);
  try {
    expect((await remove(id)).status).toBe(200);
    await eventually(() => !existsSync(fileOf(id)));
  } finally {
    platform.clock.advance(-HOUR_MS);
  }
});

test('deleting a report that is being generated returns 409 INVALID_STATE', async () => {
  const { id } = await readyReport();
  await (await onlyTable('support.report')).set('status', 'generating', 'id', id);
  expect(await remove(id)).toMatchObject({ status: 409, body: { error: { code: 'INVALID_STATE', details: { from: 'generating' } } } });
  expect((await tenant.rest('GET', `/support/reports/${id}`)).body.report.status).toBe('generating');
});

test('deleting an unknown or already deleted report returns 404 RESOURCE_NOT_FOUND', async () => {
  const { id } = await readyReport();
  expect((await remove(id)).status).toBe(200);
  for (const unknown of [id, 'report_unknown'])
    expect(await remove(unknown)).toMatchObject({ status: 404, body: { error: { code: 'RESOURCE_NOT_FOUND' } } });
});
