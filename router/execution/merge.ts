export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A response key that would access the prototype of an object. This key is skipped in all responses. */
export const PROTOTYPE = '__proto__';

/**
 * Marks an object for which a subgraph returned null without an error. The record of the object may have been deleted.
 */
export const GONE = Symbol('gone');
export const isGone = (value: object): boolean => GONE in value;

/**
 * Marks an object for which a fetch was skipped, because none of the fields that the fetch requires has a value. These
 * are usually the fields of an entity key.
 */
export const UNKNOWN = Symbol('unknown');
/** Returns true if fields of an object may be absent although no fetch failed. */
export const isIncomplete = (value: object): boolean => GONE in value || UNKNOWN in value;

/** Merges the result of another fetch into `target`, recursively. Lists are merged item by item. */
export function mergeInto(target: JsonObject, source: JsonObject): void {
  for (const name in source) {
    if (name === PROTOTYPE) continue;
    const theirs = source[name];
    const ours = target[name];
    if (typeof theirs === 'object' && theirs !== null && typeof ours === 'object' && ours !== null) mergeValues(ours, theirs);
    else if (theirs !== undefined) target[name] = theirs;
  }
}

function mergeValues(ours: object, theirs: object): void {
  if (!Array.isArray(ours)) {
    mergeInto(ours as JsonObject, theirs as JsonObject);
    return;
  }
  for (let index = 0; index < ours.length; index += 1) {
    const [one, other] = [ours[index] as unknown, (theirs as unknown[])[index]];
    if (typeof one === 'object' && one !== null && typeof other === 'object' && other !== null) mergeValues(one, other);
  }
}
