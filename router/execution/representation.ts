import type { InputRewrite, RequiresSelection } from '@graphql-hive/router-query-planner';
import type { GraphQLSchema } from 'graphql';
import { isObject, type JsonObject, PROTOTYPE } from './merge.ts';
import { compileRewrites } from './rewrite.ts';
import { typeCheck } from './types.ts';

type Project = (entity: JsonObject, into: JsonObject) => void;

/** What another subgraph is told of an entity: its type and the members that it requires; undefined where they are not known. */
export type Represent = (entity: JsonObject) => JsonObject | undefined;

export function compileRepresentation(
  requires: readonly RequiresSelection[],
  rewrites: readonly InputRewrite[],
  schema: GraphQLSchema,
): Represent {
  const project = compileSelections(requires, schema);
  const rewrite = compileRewrites(rewrites, schema);
  return (entity) => {
    const representation: JsonObject = {};
    project(entity, representation);
    let known = 0;
    for (const name in representation) if (name !== '__typename') known += 1;
    if (known === 0) return undefined;
    representation.__typename ??= entity.__typename;
    return rewrite(representation);
  };
}

function compileSelections(selections: readonly RequiresSelection[], schema: GraphQLSchema): Project {
  const parts = selections.map((selection) => compileSelection(selection, schema));
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return (entity, into) => {
    for (const part of parts) part(entity, into);
  };
}

function compileSelection(selection: RequiresSelection, schema: GraphQLSchema): Project {
  if (selection.kind === 'FragmentSpread') throw new Error('A query plan requires a fragment by name.');
  if (selection.kind === 'InlineFragment') {
    const check = typeCheck(schema, [selection.typeCondition]);
    const inner = compileSelections(selection.selections, schema);
    return (entity, into) => {
      if (check(String(entity.__typename))) inner(entity, into);
    };
  }
  const { name, alias = name, selections } = selection;
  if (name === PROTOTYPE || alias === PROTOTYPE) return () => undefined;
  const nested = selections && compileSelections(selections, schema);
  return (entity, into) => {
    const value = entity[name] ?? entity[alias];
    if (value === undefined || value === null) return;
    into[alias] = nested ? projectNested(value, nested) : value;
  };
}

function projectNested(value: unknown, project: Project): unknown {
  if (Array.isArray(value)) return value.map((item) => projectNested(item, project));
  if (!isObject(value)) return value;
  const into: JsonObject = {};
  project(value, into);
  return into;
}
