import type { FlattenNodePathSegment } from '@graphql-hive/router-query-planner';
import type { GraphQLSchema } from 'graphql';
import { isObject, type JsonObject, PROTOTYPE } from './merge.ts';
import { typeCheck } from './types.ts';

export type Path = readonly (string | number)[];
type Visit = (entity: JsonObject, path: Path) => void;
type Walk = (value: unknown, path: Path, visit: Visit) => void;

/** A path of a query plan, compiled once. It finds the objects at this path in the data of each run. */
export class EntityPath {
  readonly #walk: Walk;
  readonly #collect: (value: unknown, into: JsonObject[]) => void;

  constructor(segments: readonly FlattenNodePathSegment[], schema: GraphQLSchema) {
    this.#walk = segments.reduceRight<Walk>((next, segment) => follow(segment, next, schema), visitObjects);
    this.#collect = compileCollect(segments, schema);
  }

  /** Returns all objects at the path, in the order in which they occur in `data`. */
  collect(data: JsonObject): JsonObject[] {
    const found: JsonObject[] = [];
    this.#collect(data, found);
    return found;
  }

  /**
   * Returns the path in `data` of each object that `collect` returns, in the same order. Only errors need these paths.
   */
  locate(data: JsonObject): Path[] {
    const paths: Path[] = [];
    this.#walk(data, [], (_, path) => paths.push(path));
    return paths;
  }
}

const visitObjects: Walk = (value, path, visit) => {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) visitObjects(item, [...path, index], visit);
  else if (isObject(value)) visit(value, path);
};

function follow(segment: FlattenNodePathSegment, next: Walk, schema: GraphQLSchema): Walk {
  if (segment === '@') {
    return (value, path, visit) => {
      if (Array.isArray(value)) for (const [index, item] of value.entries()) next(item, [...path, index], visit);
    };
  }
  if ('Field' in segment) {
    const { Field: name } = segment;
    if (name === PROTOTYPE) return () => undefined;
    return (value, path, visit) => {
      if (isObject(value)) next(value[name], [...path, name], visit);
    };
  }
  const check = typeCheck(schema, segment.TypeCondition);
  return (value, path, visit) => {
    if (isObject(value) && check(String(value.__typename))) next(value, path, visit);
  };
}

type Collect = (value: unknown, into: JsonObject[]) => void;

const collectObjects: Collect = (value, into) => {
  if (Array.isArray(value)) for (const item of value) collectObjects(item, into);
  else if (isObject(value)) into.push(value);
};

function compileCollect(segments: readonly FlattenNodePathSegment[], schema: GraphQLSchema): Collect {
  return segments.reduceRight<Collect>((next, segment) => {
    if (segment === '@') {
      return (value, into) => {
        if (Array.isArray(value)) for (const item of value) next(item, into);
      };
    }
    if ('Field' in segment) {
      const { Field: name } = segment;
      if (name === PROTOTYPE) return () => undefined;
      return (value, into) => {
        if (isObject(value)) next(value[name], into);
      };
    }
    const check = typeCheck(schema, segment.TypeCondition);
    return (value, into) => {
      if (isObject(value) && check(String(value.__typename))) next(value, into);
    };
  }, collectObjects);
}
