import type { BatchFetchNode, EntityBatchAlias, FlattenNode } from '@graphql-hive/router-query-planner';
import type { DocumentNode, GraphQLError } from 'graphql';
import { EntityBatch } from './batch.ts';
import { errorAt } from './errors.ts';
import type { JsonObject } from './merge.ts';
import { EntityPath, type Path } from './path.ts';
import { compileRepresentation, type Represent } from './representation.ts';
import { compileRewrites, type RenamePath, type Rewrite, renamesOf } from './rewrite.ts';
import { compileSend, parseFetch, type Response, responseKeys, unreached } from './send.ts';
import type { Run, Step } from './step.ts';
import type { Types } from './types.ts';

/**
 * One entity list of a fetch: the objects for which it loads fields, their representations, and how the results of the
 * list are read.
 */
interface EntityList {
  /** The response key of the list in the subgraph's response. */
  alias: string;
  places: EntityPath[];
  represent: Represent;
  rewrite: Rewrite;
  rename: RenamePath | undefined;
  /** The response keys of the fields that the list fetches for each object. */
  keys: ReadonlySet<string>;
}

type EntityListNode = Pick<EntityBatchAlias, 'alias' | 'paths' | 'requires' | 'inputRewrites' | 'outputRewrites'>;

const compileList = (node: EntityListNode, subgraph: string, document: DocumentNode, { schema, joins }: Types): EntityList => ({
  alias: node.alias,
  places: node.paths.map((path) => new EntityPath(path, schema)),
  represent: compileRepresentation(node.requires, node.inputRewrites ?? [], schema, joins.interfaceObjectsOf(subgraph)),
  rewrite: compileRewrites(node.outputRewrites ?? [], schema),
  rename: renamesOf(node.outputRewrites ?? []),
  keys: responseKeys(document, node.alias),
});

const ENTITIES = '_entities';

export function compileFlatten<C>({ path, node }: FlattenNode, types: Types): Step<C> {
  if (node.kind !== 'Fetch') throw new Error(`A query plan flattens a ${node.kind} node, which is not supported.`);
  const document = parseFetch(node);
  const send = compileSend<C>(node, document);
  const list = compileList({ ...node, alias: ENTITIES, paths: [path], requires: node.requires ?? [] }, node.serviceName, document, types);
  return async (run) => {
    const batch = new EntityBatch(list.represent);
    for (const places of list.places) batch.add(places.collect(run.data));
    if (batch.representations.length === 0) return;
    take(run, [{ batch, list }], await send(run, { representations: batch.representations }));
  };
}

/** Compiles one request to a subgraph that fetches several entity lists, each under an alias. */
export function compileBatch<C>(node: BatchFetchNode, types: Types): Step<C> {
  const document = parseFetch(node);
  const send = compileSend<C>(node, document);
  const lists = node.entityBatch.aliases.map((alias) => ({
    variable: alias.representationsVariableName,
    list: compileList(alias, node.serviceName, document, types),
  }));
  return async (run) => {
    const shared = new Map<string, EntityBatch>();
    const parts = lists.map(({ variable, list }): Part => {
      const known = shared.get(variable);
      const batch = known ? known.sibling(list.represent) : new EntityBatch(list.represent);
      shared.set(variable, known ?? batch);
      for (const places of list.places) batch.add(places.collect(run.data));
      return { batch, list };
    });
    if ([...shared.values()].every((batch) => batch.representations.length === 0)) return;
    const representations = Object.fromEntries([...shared].map(([name, batch]) => [name, batch.representations]));
    take(run, parts, await send(run, representations));
  };
}

interface Part {
  batch: EntityBatch;
  list: EntityList;
}

/** Merges the entity lists of a response into the data of `run`, and adds the errors of the lists to `run`. */
function take<C>(run: Run<C>, parts: readonly Part[], { data, errors }: Response): void {
  for (const part of parts) {
    const { batch, list } = part;
    const results = data?.[list.alias];
    const ofList = errors.length === 0 ? errors : errorsFor(list, parts, errors);
    const isComplete = batch.fits(results);
    if (isComplete && ofList.length === 0) batch.merge(results, list.rewrite);
    else takeErrors(run, part, isComplete ? results : undefined, ofList);
    const isMalformed = !isComplete && (ofList.length === 0 || (results !== undefined && results !== null));
    if (isMalformed) {
      const reason = `A subgraph did not respond with one entity for each of ${batch.representations.length} representations.`;
      run.errors.fail(unreached(reason), batch.pathsOf(locate(run, list)).flat(), list.keys);
    }
  }
}

/** Returns the errors of one entity list. An error whose path does not lead to an entity list counts for every list. */
function errorsFor({ alias }: EntityList, parts: readonly Part[], errors: readonly GraphQLError[]): GraphQLError[] {
  const isOfAnother = (key: unknown): boolean => parts.some(({ list }) => list.alias !== alias && list.alias === key);
  return errors.filter(({ path }) => !isOfAnother(path?.[0]));
}

/**
 * Moves errors to the paths of the entities: `["_entities", 3, "name"]` becomes the path of `name` in every object that
 * was sent as representation 3.
 */
function takeErrors<C>(
  run: Run<C>,
  { batch, list }: Part,
  results: readonly (JsonObject | null)[] | undefined,
  errors: readonly GraphQLError[],
): void {
  const places = batch.pathsOf(locate(run, list));
  const failed = new Set<number>();
  for (const error of errors) {
    const [key, index, ...tail] = error.path ?? [];
    const isLocated = key === list.alias && typeof index === 'number';
    if (isLocated) failed.add(index);
    const paths = isLocated ? (places[index] ?? []) : places.flat();
    if (isLocated && tail.length > 0) {
      // if the entity is null, this error explains why all fields of the entity are absent
      const isNull = !results?.[index];
      for (const path of paths) run.errors.add(errorAt(error, [...path, ...(list.rename?.(tail) ?? tail)]), isNull ? path : undefined);
    } else {
      run.errors.fail(error, paths, list.keys);
      if (!isLocated) for (const at of batch.representations.keys()) failed.add(at);
    }
  }
  if (results) batch.merge(results, list.rewrite, failed);
}

const locate = <C>({ data }: Run<C>, { places }: EntityList): Path[] => places.flatMap((place) => place.locate(data));
