type Normalize = (value: unknown) => unknown;

/** By the prototype of an input class, then by field. */
const rules = new Map<object, Map<PropertyKey, Normalize>>();

/** Declares how a field of an input class is normalized before services get it. */
export function normalizes(target: object, key: PropertyKey, normalize: Normalize): void {
  const fields = rules.get(target) ?? new Map<PropertyKey, Normalize>();
  rules.set(target, fields.set(key, normalize));
}

/** Normalizes the fields of a valid input as declared, in place and recursively. */
export function normalizeInput(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) normalizeInput(item);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const record = value as Record<PropertyKey, unknown>;
  for (let proto: object | null = Object.getPrototypeOf(value); proto && proto !== Object.prototype; proto = Object.getPrototypeOf(proto)) {
    for (const [key, normalize] of rules.get(proto) ?? []) if (record[key] !== undefined) record[key] = normalize(record[key]);
  }
  if (isInput(value)) for (const item of Object.values(value)) normalizeInput(item);
}

/** Returns false for free-form values, such as metadata: they are plain objects and have no rules. */
export const isInput = (value: object): boolean =>
  Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null;
