import type { ConfigSource } from '../../kernel/settings/config.ts';
import { openOffline } from './offline.ts';
import type { MaintenanceOptions } from './reencrypt.ts';

/**
 * Deletes all rows that have reached their maximum age, or only counts them in a dry run. Uses the same statements as
 * the background work of the platform.
 */
export async function prune(settings: ConfigSource, { dryRun, tell }: MaintenanceOptions): Promise<boolean> {
  await using offline = await openOffline(settings);
  let sum = 0;
  for (const { name, ...one } of offline.assembly.retained) {
    let count = 0;
    if (dryRun) count = await one.count();
    else
      for (let deleted = await one.delete(); deleted > 0; deleted = await one.delete()) {
        count += deleted;
        tell(`  ${name}: ${count} deleted …`);
      }
    if (count > 0 || dryRun) tell(`  ${name}: ${count} ${dryRun ? 'would be deleted' : 'deleted'}`);
    sum += count;
  }
  tell(`${sum} rows ${dryRun ? 'would be' : 'were'} deleted.`);
  return true;
}
