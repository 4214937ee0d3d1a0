import { GONE, isObject, type JsonObject, mergeInto, UNKNOWN } from './merge.ts';
import type { Path } from './path.ts';
import type { Represent } from './representation.ts';
import type { Rewrite } from './rewrite.ts';

/**
 * The entities for which one fetch loads more fields. Each distinct representation is sent once, even if several
 * objects have it.
 */
export class EntityBatch {
  readonly #targets: { entity: JsonObject; index: number | undefined }[] = [];

  constructor(
    private readonly represent: Represent,
    readonly representations: JsonObject[] = [],
    private readonly known: Map<string, number> = new Map(),
  ) {}

  /**
   * Creates a batch for another entity list of the same fetch. Each batch has its own objects, but both batches share
   * one list of representations.
   */
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

  /** Returns true if the subgraph's response is a list with one object or null for each representation. */
  fits(results: unknown): results is (JsonObject | null)[] {
    return (
      Array.isArray(results) &&
      results.length === this.representations.length &&
      results.every((result) => result === null || isObject(result))
    );
  }

  /**
   * Merges the results into the objects. A null means that the record does not exist, unless the index of the null is
   * in `failed`.
   */
  merge(results: readonly (JsonObject | null)[], rewrite: Rewrite, failed?: ReadonlySet<number>): void {
    for (const result of results) if (result) rewrite(result);
    for (const { entity, index } of this.#targets) {
      if (index === undefined) continue;
      const result = results[index];
      if (result) mergeInto(entity, result);
      else if (!failed?.has(index)) Object.assign(entity, { [GONE]: true });
    }
  }

  /**
   * Returns, for each representation, the paths of the objects that have this representation. `paths` are the paths of all
   * objects in the response, in the order in which the objects were added.
   */
  pathsOf(paths: readonly Path[]): Path[][] {
    const byIndex: Path[][] = this.representations.map(() => []);
    for (const [at, { index }] of this.#targets.entries()) {
      const path = paths[at];
      if (index !== undefined && path) byIndex[index]?.push(path);
    }
    return byIndex;
  }
}
