import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createLogger } from '../../kernel/log/log.ts';
import { plannerConcerns } from '../../router/planner-concerns.ts';
import { composeSupergraph } from '../../router/supergraph.ts';
import { localRouter } from './fixtures/rig.ts';
import { Shop } from './fixtures/shop.ts';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable", "@external", "@requires", "@provides", "@interfaceObject"])\n';
const concerns = (sources: Record<string, string>): string[] =>
  plannerConcerns(composeSupergraph(Object.entries(sources).map(([name, sdl]) => ({ name, sdl: LINK + sdl }))));

test("the platform's supergraph contains no construct that the query planner is known to plan incorrectly", () => {
  expect(plannerConcerns(readFileSync('schema/supergraph.graphql', 'utf8'))).toEqual([]);
});

test.each([
  [
    'nested @provides',
    {
      posts:
        'type Query { post: Post @provides(fields: "author { name }") } type Post @key(fields: "id") { id: ID! author: Author @external } type Author @key(fields: "id") { id: ID! name: String @external }',
      authors:
        'type Post @key(fields: "id") { id: ID! author: Author @shareable } type Author @key(fields: "id") { id: ID! name: String @shareable }',
    },
    /^Query\.post of POSTS provides "author ?\{ ?name ?\}"/,
  ],
  [
    'different types of one field in the members of a union',
    { things: 'type Query { thing: Thing } union Thing = A | B type A { size: Int } type B { size: Int! }' },
    /^A\.size is Int and B\.size is Int!, both in Thing of THINGS/,
  ],
  [
    'different types of one field in the members of an interface',
    {
      things:
        'type Query { thing: Thing } interface Thing { id: ID } type A implements Thing { id: ID kind: KA } type B implements Thing { id: ID kind: KB } enum KA { X } enum KB { Y }',
    },
    /^A\.kind is KA and B\.kind is KB, both in Thing of THINGS/,
  ],
  [
    'an interface object whose key is not resolvable',
    {
      library:
        'type Query { media: Media } interface Media @key(fields: "id") { id: ID! } type Book implements Media @key(fields: "id") { id: ID! }',
      people: 'type Query { favourite: Media } type Media @key(fields: "id", resolvable: false) @interfaceObject { id: ID! }',
    },
    /^Media is an interface object of PEOPLE with a key that is not resolvable/,
  ],
  [
    '@requires within the result of another @requires',
    {
      clinic:
        'type Query { pet: Pet } type Pet @key(fields: "id") { id: ID! weight: Int @external checkup: Checkup @requires(fields: "weight") } type Checkup @key(fields: "id") { id: ID! fee: Int @external grade: Int @requires(fields: "fee") }',
      records: 'type Pet @key(fields: "id") { id: ID! weight: Int } type Checkup @key(fields: "id") { id: ID! fee: Int }',
    },
    /^Pet\.checkup requires fields, and so does its type Checkup/,
  ],
])('the planner check reports a supergraph that has %s', (_, sources, reason) => {
  expect(concerns(sources as unknown as Record<string, string>)).toEqual([expect.stringMatching(reason)]);
});

test('the router logs a warning if its supergraph contains a construct that may be planned incorrectly', async () => {
  const lines: { msg: string; concern: string }[] = [];
  const log = createLogger({ level: 'warn', destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  const [people, ...others] = new Shop().subgraphs();
  if (!people) throw new Error('There is no subgraph.');
  const sdl = `${people.sdl} extend type Query { pick: Pick } union Pick = Circle | Square type Circle { size: Int } type Square { size: Float }`;
  const router = await localRouter([{ ...people, sdl }, ...others], { log });
  await router.close();
  expect(lines).toMatchObject([{ msg: 'The supergraph may be planned wrongly', concern: expect.stringMatching(/^Circle\.size is Int/) }]);
});
