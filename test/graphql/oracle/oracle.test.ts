import { readFileSync } from 'node:fs';
import { parse, validate } from 'graphql';
import { afterAll, expect, test } from 'vitest';
import type { SubgraphSource } from '../../../router/supergraph.ts';
import { difference } from './difference.ts';
import { generate } from './generator.ts';
import { HARD, WITH_INTERFACE_OBJECTS } from './hard-graph.ts';
import { Random } from './random.ts';
import { shrink } from './shrink.ts';
import { createWorld, type World } from './world.ts';

/**
 * Seed of the random generator. To repeat a run or make it longer: `ORACLE_SEED=… ORACLE_OPERATIONS=20000 npm test -- test/graphql/oracle`.
 */
const seed = Number(process.env.ORACLE_SEED ?? Date.now() % 1_000_000_000);
const wanted = Number(process.env.ORACLE_OPERATIONS ?? 2_000);

const PLATFORM = ['identity', 'services', 'billing', 'support', 'monitoring', 'events'].map(
  (name): SubgraphSource => ({ name, sdl: readFileSync(`schema/${name}.graphql`, 'utf8') }),
);

const worlds: World[] = [];
afterAll(() => Promise.all(worlds.map(({ router }) => router.close())));

test.each([
  ['the platform’s supergraph', PLATFORM, wanted],
  ['a supergraph of interfaces, unions and required fields', HARD, Math.ceil(wanted / 4)],
  ['a supergraph of interface objects', WITH_INTERFACE_OBJECTS, Math.ceil(wanted / 8)],
])(
  'random operations over %s return the same responses as one schema that is not divided into subgraphs',
  { timeout: 300_000 },
  async (name, subgraphs, count) => {
    process.stdout.write(`Oracle over ${name}: ORACLE_SEED=${seed} ORACLE_OPERATIONS=${wanted}\n`);
    const world = await createWorld(subgraphs, String(seed));
    worlds.push(world);
    for (let checked = 0, attempt = 0; checked < count; attempt += 1) {
      const operation = generate(world.schema, seed + attempt);
      if (validate(world.schema, parse(operation.document)).length > 0) continue;
      checked += 1;
      const random = new Random(seed + attempt);
      Object.assign(world.trouble, random.chance(50) ? { errors: 0, nulls: 0 } : { errors: random.below(8), nulls: random.below(8) });
      if (!(await difference(world, operation))) continue;
      const document = await shrink(world.schema, operation.document, async (text) =>
        Boolean(await difference(world, { ...operation, document: text })),
      );
      const found = await difference(world, { ...operation, document });
      const report = { number: attempt, variables: operation.variables, trouble: world.trouble, ...found };
      expect.fail(`A response differs.\n${document}\n${JSON.stringify(report, null, 2)}`);
    }
  },
);
