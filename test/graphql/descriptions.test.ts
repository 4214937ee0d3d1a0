import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type DefinitionNode, Kind, parse } from 'graphql';
import { describe, expect, test } from 'vitest';

const subgraphs = globSync('schema/*.graphql').filter((path) => !['supergraph.graphql', 'api.graphql'].includes(basename(path)));
const definitionsOf = (path: string) => parse(readFileSync(path, 'utf8'), { noLocation: true }).definitions;

interface Described {
  /** The schema coordinate, such as `Query.ticket(id:)`. */
  name: string;
  description: string | undefined;
}

/** All types with their fields, arguments, input fields and enum values, without the definitions that federation adds. */
function describedIn(definition: DefinitionNode): Described[] {
  switch (definition.kind) {
    case Kind.SCALAR_TYPE_DEFINITION:
    case Kind.UNION_TYPE_DEFINITION:
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION:
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
    case Kind.ENUM_TYPE_DEFINITION: {
      const type = definition.name.value;
      const values = definition.kind === Kind.ENUM_TYPE_DEFINITION ? (definition.values ?? []) : [];
      const fields = 'fields' in definition ? (definition.fields ?? []) : [];
      return [
        { name: type, description: definition.description?.value },
        ...[...fields, ...values].map(({ name, description }) => ({ name: `${type}.${name.value}`, description: description?.value })),
        ...fields.flatMap((field) =>
          (field.kind === Kind.FIELD_DEFINITION ? (field.arguments ?? []) : []).map(({ name, description }) => ({
            name: `${type}.${field.name.value}(${name.value}:)`,
            description: description?.value,
          })),
        ),
      ];
    }
    default:
      return [];
  }
}

const missing = (all: readonly Described[]): string[] => all.filter(({ description }) => !description?.trim()).map(({ name }) => name);

test('every type, field, argument, input field and enum value of the API schema has a description', () => {
  const all = definitionsOf('schema/api.graphql').flatMap(describedIn);
  expect(all.length).toBeGreaterThan(2000);
  expect(missing(all)).toEqual([]);
});

describe.each(subgraphs)('descriptions in %s', (path) => {
  test('a committed subgraph schema describes all types and fields, except entities that another subgraph describes', () => {
    const owned = new Set(
      subgraphs
        .filter((other) => other !== path)
        .flatMap((other) => definitionsOf(other).flatMap(describedIn))
        .filter(({ description }) => description)
        .map(({ name }) => name),
    );
    const entities = new Set(
      definitionsOf(path).flatMap((definition) =>
        definition.kind === Kind.OBJECT_TYPE_DEFINITION && definition.directives?.some(({ name }) => name.value === 'key')
          ? [definition.name.value]
          : [],
      ),
    );
    const isReference = (name: string) => owned.has(name) && entities.has(name.split('.')[0] as string);
    expect(missing(definitionsOf(path).flatMap(describedIn)).filter((name) => !isReference(name))).toEqual([]);
  });
});

test('every description in the API schema says more than the name of its field or type', () => {
  const words = (text: string) =>
    (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => !['the', 'a', 'an'].includes(word)).join('');
  const repeating = definitionsOf('schema/api.graphql')
    .flatMap(describedIn)
    .filter(({ name, description }) => words(description ?? '') === words(name.split(/[.(]/).at(-1) ?? ''));
  expect(repeating.map(({ name }) => name)).toEqual([]);
});
