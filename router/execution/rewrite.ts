import type { FetchNodePathSegment, FetchRewrite } from '@graphql-hive/router-query-planner';
import type { GraphQLSchema } from 'graphql';
import { isObject, type JsonObject, PROTOTYPE } from './merge.ts';
import type { Path } from './path.ts';
import { typeCheck } from './types.ts';

type Change = (holder: JsonObject, name: string) => void;

/**
 * Function that applies the rewrites of a plan to data that is sent or received. Rewrites set type names, and rename fields to which the
 * planner gave an alias to avoid conflicts.
 */
export type Rewrite = <V extends JsonObject>(value: V) => V;

export function compileRewrites(rewrites: readonly FetchRewrite[], schema: GraphQLSchema): Rewrite {
  const changes = rewrites.map((rewrite) => compileRewrite(rewrite, schema));
  return (value) => {
    for (const change of changes) change(value);
    return value;
  };
}

/** Translates the path of an error from the response keys of a fetch to the response keys of the planned operation. */
export type RenamePath = (path: Path) => Path;

/**
 * Returns a function that replaces the aliases of a fetch in the path of an error with the response keys of the planned
 * operation. Returns undefined if the fetch renames no field.
 */
export function renamesOf(rewrites: readonly FetchRewrite[]): RenamePath | undefined {
  const renames = new Map<string | number, string>();
  for (const rewrite of rewrites) {
    if (!('KeyRenamer' in rewrite)) continue;
    const { path, renameKeyTo } = rewrite.KeyRenamer;
    const last = path.at(-1);
    if (last && 'Key' in last) renames.set(last.Key, renameKeyTo);
  }
  return renames.size === 0 ? undefined : (path) => path.map((step) => renames.get(step) ?? step);
}

function compileRewrite(rewrite: FetchRewrite, schema: GraphQLSchema): (value: unknown) => void {
  if ('KeyRenamer' in rewrite) {
    const { path, renameKeyTo } = rewrite.KeyRenamer;
    return along(path, schema, (holder, name) => {
      if (!Object.hasOwn(holder, name) || renameKeyTo === PROTOTYPE) return;
      holder[renameKeyTo] = holder[name];
      delete holder[name];
    });
  }
  const { path, setValueTo } = 'ValueSetter' in rewrite ? rewrite.ValueSetter : rewrite;
  return along(path, schema, (holder, name) => {
    holder[name] = setValueTo;
  });
}

function along(path: readonly FetchNodePathSegment[], schema: GraphQLSchema, change: Change): (value: unknown) => void {
  const [segment, ...rest] = path;
  if (!segment) return () => undefined;
  if ('TypenameEquals' in segment) {
    const check = typeCheck(schema, segment.TypenameEquals);
    const next = along(rest, schema, change);
    return forEachObject((holder) => {
      if (check(String(holder.__typename))) next(holder);
    });
  }
  const { Key: name } = segment;
  if (name === PROTOTYPE) return () => undefined;
  if (rest.length === 0) return forEachObject((holder) => change(holder, name));
  const next = along(rest, schema, change);
  return forEachObject((holder) => next(holder[name]));
}

function forEachObject(act: (holder: JsonObject) => void): (value: unknown) => void {
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) act(value);
  };
  return visit;
}
