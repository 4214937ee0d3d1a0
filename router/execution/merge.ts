export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The one member whose value, read or written, is not the object's own but what all objects have. No answer has it. */
export const PROTOTYPE = '__proto__';

/** Marks an object whose record its owner does not know: deleted since, or never there. */
export const GONE = Symbol('gone');
export const isGone = (value: object): boolean => GONE in value;

/** Marks an object that a subgraph could not be asked about: what its key consists of is null. */
export const UNKNOWN = Symbol('unknown');
/** Whether fields of an object may be absent although nothing failed. */
export const isIncomplete = (value: object): boolean => GONE in value || UNKNOWN in value;

/** Adds what a further fetch knows of an object to it, in place: members of members, lists item by item. */
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
