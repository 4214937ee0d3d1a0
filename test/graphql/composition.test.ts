import { readdirSync, readFileSync } from 'node:fs';
import { composeServices } from '@apollo/composition';
import { type GraphQLSchema, lexicographicSortSchema, parse, printSchema } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';

/** The committed subgraph schemas. The tests compose them with Apollo's composition library, as other routers do. */
const subgraphs = readdirSync('schema')
  .filter((file) => file.endsWith('.graphql') && file !== 'supergraph.graphql' && file !== 'api.graphql')
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

describe("composition by Apollo's library", () => {
  test("the committed schema files are exactly the schemas of the platform's subgraphs", async () => {
    const { assembly } = await rig();
    expect(subgraphs.map(({ name }) => name)).toEqual(Object.keys(assembly.domains).toSorted());
  });

  test("the committed subgraph schemas compose without an error in Apollo's composition library", () => {
    expect(composed.errors ?? []).toEqual([]);
  });

  test("Apollo's composition library produces the same API schema as the platform's composition", async () => {
    const { assembly } = await rig();
    const theirs = composed.schema?.toAPISchema().toGraphQLJSSchema() as unknown as GraphQLSchema;
    expect(apiOf(theirs)).toEqual(apiOf(assembly.router.schema));
  });
});

/** The schema as text, sorted, without directive definitions, and without `@oneOf`, which Apollo's library removes. */
const apiOf = (schema: GraphQLSchema): string =>
  printSchema(lexicographicSortSchema(schema))
    .split('\n\n')
    .filter((definition) => !/^(?:""".*?"""\n)?directive /s.test(definition))
    .join('\n\n')
    .replaceAll(' @oneOf', '');
