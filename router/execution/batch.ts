import { GONE, isObject, type JsonObject, mergeInto, UNKNOWN } from './merge.ts';
import type { Path } from './path.ts';
import type { Represent } from './representation.ts';
import type { Rewrite } from './rewrite.ts';

/** The entities that one fetch resolves. Each representation is sent once, however many objects need it. */
export class EntityBatch {
  readonly #targets: { entity: JsonObject; index: number | undefined }[] = [];

  constructor(
    private readonly represent: Represent,
    readonly representations: JsonObject[] = [],
    private readonly known: Map<string, number> = new Map(),
  ) {}

  /** Creates a batch of other objects that adds to the same list of representations. */
  sibling(represent: Represent): EntityBatch {
    return new EntityBatch(represent, this.representations, this.known);
  }

  add(entities: readonly JsonObject[]): void {
    for (const entity of entities) this.#targets.push({ entity, index: this.#indexOf(entity) });
  }

  #indexOf(entity: JsonObject): number | undefined {
    const representation = this.represent(entity);
    if (!representation) {
      Object.assign(entity, { [UNKNOWN]: true });
      return undefined;
    }
    const key = JSON.stringify(representation);
    const index = this.known.get(key);
    if (index !== undefined) return index;
    this.known.set(key, this.representations.length);
    return this.representations.push(representation) - 1;
  }

  /** Returns true if a subgraph's list has an object or null for each representation. */
  fits(results: unknown): results is (JsonObject | null)[] {
    return (
      Array.isArray(results) &&
      results.length === this.representations.length &&
      results.every((result) => result === null || isObject(result))
    );
  }

  /** Merges the results into the objects. `failed` has the indexes with an error; any other null means that the record does not exist. */
  merge(results: readonly (JsonObject | null)[], rewrite: Rewrite, failed?: ReadonlySet<number>): void {
    for (const result of results) if (result) rewrite(result);
    for (const { entity, index } of this.#targets) {
      if (index === undefined) continue;
      const result = results[index];
      if (result) mergeInto(entity, result);
      else if (!failed?.has(index)) Object.assign(entity, { [GONE]: true });
    }
  }

  /** Returns the paths of the objects of each representation. `paths` are those of all objects, in the order in which they were added. */
  pathsOf(paths: readonly Path[]): Path[][] {
    const byIndex: Path[][] = this.representations.map(() => []);
    for (const [at, { index }] of this.#targets.entries()) {
      const path = paths[at];
      if (index !== undefined && path) byIndex[index]?.push(path);
    }
    return byIndex;
  }
}
