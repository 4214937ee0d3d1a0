type Normalize = (value: unknown) => unknown;

/** The normalization of each field, by the prototype of the input class and the name of the field. */
const rules = new Map<object, Map<PropertyKey, Normalize>>();

/**
 * Declares how a field of an input class is normalized, after its validation and before the resolver gets its value.
 */
export function normalizes(target: object, key: PropertyKey, normalize: Normalize): void {
  const fields = rules.get(target) ?? new Map<PropertyKey, Normalize>();
  rules.set(target, fields.set(key, normalize));
}

/**
 * Normalizes the fields of a valid input and of the inputs within it, as `normalizes` declared. The function changes
 * the input.
 */
export function normalizeInput(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) normalizeInput(item);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const record = value as Record<PropertyKey, unknown>;
  for (let proto: object | null = Object.getPrototypeOf(value); proto && proto !== Object.prototype; proto = Object.getPrototypeOf(proto)) {
    for (const [key, normalize] of rules.get(proto) ?? []) if (record[key] !== undefined) record[key] = normalize(record[key]);
  }
  if (isInput(value)) for (const item of Object.values(value)) normalizeInput(item);
}

/**
 * Returns true for objects of input classes, and false for free-form values such as metadata, which are plain objects.
 */
export const isInput = (value: object): boolean =>
  Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null;
