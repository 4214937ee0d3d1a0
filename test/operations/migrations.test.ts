import { expect, test } from 'vitest';
import { domains } from '../../apps/platform/domains.ts';
import { drift } from '../../kernel/database/database.ts';
import { SUBGRAPHS } from '../../kernel/settings/data.ts';
import { rig } from '../rig.ts';

test.each(SUBGRAPHS)('the tables that the migrations of %s create match its entities', async (schema) => {
  const { databases } = (await rig()).assembly;
  const { orm } = await databases.storeOf({ ...domains[schema], schema });
  expect(await drift(orm)).toBe('');
});
