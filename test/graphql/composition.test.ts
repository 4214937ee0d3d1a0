import { readdirSync, readFileSync } from 'node:fs';
import { composeServices } from '@apollo/composition';
import { type GraphQLSchema, lexicographicSortSchema, parse, printSchema } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';

/** The committed subgraphs, composed by the tool that routers of others are used with. */
const subgraphs = readdirSync('schema')
  .filter((file) => file.endsWith('.graphql') && file !== 'supergraph.graphql')
  .map((file) => ({
    name: file.replace('.graphql', ''),
    typeDefs: parse(readFileSync(`schema/${file}`, 'utf8')),
    url: 'http://127.0.0.1',
  }));

type Composed = ReturnType<typeof composeServices>;
let composed: Composed;
beforeAll(() => {
  composed = composeServices(subgraphs);
});

describe("the committed subgraphs under Apollo's rules", () => {
  test('are those of the platform', async () => {
    const { assembly } = await rig();
    expect(subgraphs.map(({ name }) => name)).toEqual(Object.keys(assembly.domains).toSorted());
  });

  test('compose without an error', () => {
    expect(composed.errors ?? []).toEqual([]);
  });

  test('make the same API as ours', async () => {
    const { assembly } = await rig();
    const theirs = composed.schema?.toAPISchema().toGraphQLJSSchema() as unknown as GraphQLSchema;
    expect(apiOf(theirs)).toEqual(apiOf(assembly.router.schema));
  });
});

/** The schema as text, sorted, without what directives are defined. */
const apiOf = (schema: GraphQLSchema): string =>
  printSchema(lexicographicSortSchema(schema))
    .split('\n\n')
    .filter((definition) => !/^(?:""".*?"""\n)?directive /s.test(definition))
    .join('\n\n');
