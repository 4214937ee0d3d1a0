import type { BatchFetchNode, EntityBatchAlias, FetchNode, FlattenNode, PlanNode } from '@graphql-hive/router-query-planner';
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema, Kind, parse } from 'graphql';
import { relocate } from './errors.ts';
import { GONE, type JsonObject, mergeInto } from './merge.ts';
import { EntityPath, type Path } from './path.ts';
import type { Variables } from './projection.ts';
import { compileRepresentation, type Represent } from './representation.ts';
import { compileRewrites, type Rewrite } from './rewrite.ts';

/** A request to one subgraph. `document` is the same object in every run of a plan, so whatever is compiled of it is kept by it. */
export interface SubgraphFetch<C> {
  subgraph: string;
  document: DocumentNode;
  operationName: string | undefined;
  variables: Record<string, unknown>;
  context: C;
}
export type Fetch<C> = (request: SubgraphFetch<C>) => Promise<ExecutionResult> | ExecutionResult;

/** One execution of a plan: what its fetches brought so far. */
export interface Run<C> {
  readonly variables: Variables;
  readonly context: C;
  readonly fetch: Fetch<C>;
  readonly data: JsonObject;
  readonly errors: GraphQLError[];
}
export type Step<C> = (run: Run<C>) => Promise<void> | void;

/** Compiles a node of a plan: documents parsed, paths and representations prepared; a run only reads variables and data. */
export function compileStep<C>(node: PlanNode, schema: GraphQLSchema): Step<C> {
  switch (node.kind) {
    case 'Fetch':
      return compileRootFetch(node, schema);
    case 'Flatten':
      return compileFlatten(node, schema);
    case 'BatchFetch':
      return compileBatch(node, schema);
    case 'Sequence':
      return inSequence(node.nodes.map((child) => compileStep<C>(child, schema)));
    case 'Parallel':
      return inParallel(node.nodes.map((child) => compileStep<C>(child, schema)));
    case 'Condition': {
      const [met, unmet] = [node.ifClause, node.elseClause].map((clause) => clause && compileStep<C>(clause, schema));
      return (run) => (run.variables[node.condition] === true ? met : unmet)?.(run);
    }
    default:
      throw new Error(`A query plan holds a ${node.kind} node.`);
  }
}

function inSequence<C>(steps: readonly Step<C>[]): Step<C> {
  return async (run) => {
    for (const step of steps) {
      const pending = step(run);
      if (pending) await pending;
    }
  };
}

function inParallel<C>(steps: readonly Step<C>[]): Step<C> {
  return async (run) => {
    await Promise.all(steps.map((step) => step(run)));
  };
}

/** The subgraph could not be asked; the message is of the connection. */
export const UNREACHED = 'DOWNSTREAM_SERVICE_ERROR';

/** Sends the operation of a fetch node. That there is no answer at all is an error of the run, at the places that wait for it. */
function compileSend<C>(node: FetchNode | BatchFetchNode) {
  const document = parse(node.operation, { noLocation: true });
  const { serviceName: subgraph, operationName, variableUsages = [] } = node;
  return async (run: Run<C>, placesOf: () => Path[], representations?: JsonObject): Promise<ExecutionResult> => {
    const variables: Record<string, unknown> = representations ?? {};
    for (const name of variableUsages) if (name in run.variables) variables[name] = run.variables[name];
    try {
      return await run.fetch({ subgraph, document, operationName, variables, context: run.context });
    } catch (error) {
      const originalError = error instanceof Error ? error : new Error(String(error));
      const unreached = (path: Path | undefined) =>
        new GraphQLError(originalError.message, { path, originalError, extensions: { code: UNREACHED } });
      const [first] = placesOf();
      run.errors.push(unreached(first));
      return {};
    }
  };
}

/** The response keys of a document's operation: where the answer to a root fetch stands. */
function rootPlaces({ definitions }: DocumentNode): Path[] {
  const operation = definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return (operation?.selectionSet.selections ?? []).flatMap((selection) =>
    selection.kind === Kind.FIELD ? [[selection.alias?.value ?? selection.name.value]] : [],
  );
}

function compileRootFetch<C>(node: FetchNode, schema: GraphQLSchema): Step<C> {
  const send = compileSend<C>(node);
  const places = rootPlaces(parse(node.operation, { noLocation: true }));
  const rewrite = compileRewrites(node.outputRewrites ?? [], schema);
  return async (run) => {
    const { data, errors } = await send(run, () => places);
    if (errors) run.errors.push(...errors);
    if (data) mergeInto(run.data, rewrite(data as JsonObject));
  };
}

function compileFlatten<C>({ path, node }: FlattenNode, schema: GraphQLSchema): Step<C> {
  if (node.kind !== 'Fetch') throw new Error(`A query plan flattens a ${node.kind} node.`);
  const send = compileSend<C>(node);
  const places = new EntityPath(path, schema);
  const represent = compileRepresentation(node.requires ?? [], node.inputRewrites ?? [], schema);
  const rewrite = compileRewrites(node.outputRewrites ?? [], schema);
  return async (run) => {
    const batch = new EntityBatch(represent);
    batch.add(places.collect(run.data));
    if (batch.representations.length === 0) return;
    const { data, errors } = await send(run, () => places.locate(run.data), { representations: batch.representations });
    if (errors) run.errors.push(...relocate(errors, 1, (index) => batch.pathsOf(index, () => places.locate(run.data))));
    if (data) batch.merge((data as { _entities?: (JsonObject | null)[] })._entities, rewrite, !errors?.length);
  };
}

interface AliasStep {
  node: EntityBatchAlias;
  places: EntityPath[];
  represent: Represent;
  rewrite: Rewrite;
}

/** Several lists of entities of one subgraph in one request, each under an alias. */
function compileBatch<C>(node: BatchFetchNode, schema: GraphQLSchema): Step<C> {
  const send = compileSend<C>(node);
  const aliases = node.entityBatch.aliases.map(
    (alias): AliasStep => ({
      node: alias,
      places: alias.paths.map((path) => new EntityPath(path, schema)),
      represent: compileRepresentation(alias.requires, alias.inputRewrites ?? [], schema),
      rewrite: compileRewrites(alias.outputRewrites ?? [], schema),
    }),
  );
  return async (run) => {
    const shared = new Map<string, EntityBatch>();
    const batches = new Map<string, { batch: EntityBatch; step: AliasStep }>();
    for (const step of aliases) {
      const known = shared.get(step.node.representationsVariableName);
      const batch = known ? known.sibling(step.represent) : new EntityBatch(step.represent);
      shared.set(step.node.representationsVariableName, known ?? batch);
      for (const places of step.places) batch.add(places.collect(run.data));
      batches.set(step.node.alias, { batch, step });
    }
    const representations = Object.fromEntries([...shared].map(([name, batch]) => [name, batch.representations]));
    if ([...shared.values()].every((batch) => batch.representations.length === 0)) return;
    const everywhere = () => aliases.flatMap(({ places }) => places.flatMap((path) => path.locate(run.data)));
    const { data, errors } = await send(run, everywhere, representations);
    if (errors) run.errors.push(...errors.flatMap((error) => relocateAlias(error, batches, run.data)));
    for (const [alias, { batch, step }] of batches)
      batch.merge((data as Record<string, (JsonObject | null)[]> | null)?.[alias], step.rewrite, !errors?.length);
  };
}

function relocateAlias(
  error: GraphQLError,
  batches: ReadonlyMap<string, { batch: EntityBatch; step: AliasStep }>,
  data: JsonObject,
): GraphQLError[] {
  const known = batches.get(String(error.path?.[0]));
  if (!known) return [error];
  return relocate([error], 1, (index) => known.batch.pathsOf(index, () => known.step.places.flatMap((places) => places.locate(data))));
}

/** The entities that one fetch completes: each representation is sent once, however many objects stand for it. */
class EntityBatch {
  readonly #targets: { entity: JsonObject; index: number | undefined }[] = [];

  constructor(
    private readonly represent: Represent,
    readonly representations: JsonObject[] = [],
    private readonly known: Map<string, number> = new Map(),
  ) {}

  /** A batch of other places that sends into the same list. */
  sibling(represent: Represent): EntityBatch {
    return new EntityBatch(represent, this.representations, this.known);
  }

  add(entities: readonly JsonObject[]): void {
    for (const entity of entities) this.#targets.push({ entity, index: this.#indexOf(entity) });
  }

  #indexOf(entity: JsonObject): number | undefined {
    const representation = this.represent(entity);
    if (!representation) return undefined;
    const key = JSON.stringify(representation);
    const index = this.known.get(key);
    if (index !== undefined) return index;
    this.known.set(key, this.representations.length);
    return this.representations.push(representation) - 1;
  }

  /** `isClean`: nothing failed, so that a null says that there is no such record. */
  merge(results: readonly (JsonObject | null)[] | null | undefined, rewrite: Rewrite, isClean: boolean): void {
    if (!results) return;
    for (const result of results) if (result) rewrite(result);
    for (const { entity, index } of this.#targets) {
      const result = index === undefined ? undefined : results[index];
      if (result) mergeInto(entity, result);
      else if (result === null && isClean) Object.assign(entity, { [GONE]: true });
    }
  }

  /** Where the objects stand that a representation was made of. */
  pathsOf(index: number, locate: () => Path[]): Path[] {
    const paths = locate();
    return this.#targets.flatMap((target, at) => (target.index === index && paths[at] ? [paths[at]] : []));
  }
}
