import { type GraphQLInputType, getNamedType, isInputObjectType, isLeafType, isListType, isNonNullType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import { given, literal } from '../support/literals.ts';
import type { Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
});

/** GraphQL literals of a type; in each of them one nullable value is null. */
function* withNull(type: GraphQLInputType): Generator<string> {
  if (isNonNullType(type)) yield* withNull(type.ofType);
  else {
    yield 'null';
    yield* withNullInside(type);
  }
}

function* withNullInside(type: GraphQLInputType): Generator<string> {
  if (isListType(type)) for (const item of withNullInside(unwrapped(type.ofType))) yield `[${item}]`;
  if (!isInputObjectType(type)) return;
  const fields = Object.values(type.getFields());
  for (const field of fields) {
    if (isNonNullType(field.type)) continue;
    const needed = fields.filter((other) => isNonNullType(other.type) && other.defaultValue === undefined);
    for (const value of withNull(field.type))
      yield `{ ${[`${field.name}: ${value}`, ...needed.map((other) => `${other.name}: ${literal(other.type, other.name)}`)].join(', ')} }`;
  }
}

const unwrapped = (type: GraphQLInputType): GraphQLInputType => (isNonNullType(type) ? unwrapped(type.ofType) : type);

describe('null arguments', async () => {
  const { schema } = (await rig()).assembly.router;
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ args }) => args.length > 0);

  test.each(fields.map((field) => [field.name, field] as const))(
    'null for any argument of the GraphQL field %s returns no INTERNAL_ERROR',
    async (name, field) => {
      const selection = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }';
      for (const arg of field.args) {
        const others = given({ ...field, args: field.args.filter((other) => other !== arg) }).slice(1, -1);
        for (const value of isNonNullType(arg.type) ? withNullInside(arg.type.ofType) : withNull(arg.type)) {
          const query = `{ ${name}(${[`${arg.name}: ${value}`, others].filter(Boolean).join(', ')}) ${selection} }`;
          const { errors = [] } = await tenant.graphql(query);
          expect(
            errors.map(({ extensions }) => extensions.code),
            query,
          ).not.toContain('INTERNAL_ERROR');
        }
      }
    },
  );
});

test('the article filter `status: null` returns only published articles', async () => {
  const { data, errors } = await tenant.graphql('{ articles(filter: { status: null, q: "webhook" }) { nodes { status } } }');
  expect(errors).toBeUndefined();
  expect(new Set(data.articles.nodes.map(({ status }: { status: string }) => status))).toEqual(new Set(['PUBLISHED']));
});
