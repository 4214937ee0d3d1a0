import { getMetadataStorage } from 'class-validator';

/** Keywords of JSON Schema, such as `{ maxLength: 200 }`. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Options of a validation decorator that describe its check in JSON Schema, for the OpenAPI document. Rules of
 * class-validator need these options only if `RULES` does not describe them precisely enough.
 */
export const jsonSchema = (schema: JsonSchema): { context: { jsonSchema: JsonSchema } } => ({ context: { jsonSchema: schema } });

/**
 * Options of the decorator `Allow` for a list of event types and patterns, such as `ticket.*`. They describe only the
 * format. The code that receives the list must check that the event types exist.
 */
export const EVENT_PATTERNS = { ...jsonSchema({ format: 'event-pattern', minLength: 1 }), each: true };

/** Functions that return the JSON Schema of a class-validator rule, by the name of the rule. */
const RULES: Readonly<Record<string, (first: unknown, second: unknown) => JsonSchema>> = {
  arrayMaxSize: (maxItems) => ({ maxItems }),
  arrayMinSize: (minItems) => ({ minItems }),
  arrayUnique: () => ({ uniqueItems: true }),
  isISO31661Alpha2: () => ({ format: 'country-code' }),
  isISO4217CurrencyCode: () => ({ format: 'currency-code' }),
  isIn: (values) => ({ enum: values }),
  isIso8601: () => ({ format: 'date' }),
  isLength: (minLength, maxLength) => ({ minLength, maxLength }),
  isUrl: () => ({ format: 'uri', pattern: '^https://' }),
  matches: (pattern) => ({ pattern: patternOf(pattern as RegExp) }),
  max: (maximum) => ({ maximum }),
  maxLength: (maxLength) => ({ maxLength }),
  min: (minimum) => ({ minimum }),
  minLength: (minLength) => ({ minLength }),
};

/**
 * Converts a regular expression to a JSON Schema pattern. JSON Schema supports only the flag `u`. Slashes are not
 * escaped in a pattern.
 */
function patternOf({ source, flags }: RegExp): string {
  if (flags.replace('u', '') !== '') throw new Error(`JSON Schema has no flags: state what /${source}/${flags} means with jsonSchema().`);
  return source.replaceAll('\\/', '/');
}

/** A validation rule as class-validator stores it. */
type StoredRule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** Returns all rules of an input class, including inherited ones. */
export const rulesIn = (target: () => unknown): StoredRule[] =>
  getMetadataStorage().getTargetValidationMetadatas(target as never, '', false, false);

/** Returns the JSON Schema of one rule; undefined if JSON Schema cannot express it. */
export function schemaOfRule({ name, constraints, each, context }: StoredRule): JsonSchema | undefined {
  const stated = (context as { jsonSchema?: JsonSchema } | undefined)?.jsonSchema;
  const [first, second] = (constraints ?? []) as unknown[];
  const schema = stated ?? RULES[name ?? '']?.(first, second);
  return schema && each ? { items: schema } : schema;
}

interface InputClass {
  name: string;
  target: () => unknown;
}
interface Operation {
  schemaName: string;
  params?: { kind: string; getType?: () => unknown }[];
}
interface Storage {
  inputTypes: InputClass[];
  queries: Operation[];
  mutations: Operation[];
}
const storage = (): Storage => (globalThis as unknown as { TypeGraphQLMetadataStorage: Storage }).TypeGraphQLMetadataStorage;

/** Returns all classes of input objects and of arguments in the graph. */
export function inputClasses(): InputClass[] {
  const { inputTypes, queries, mutations } = storage();
  const argumentClasses = [
    ...queries.map((field) => ({ field, root: 'Query' })),
    ...mutations.map((field) => ({ field, root: 'Mutation' })),
  ].flatMap(({ field, root }) =>
    (field.params ?? [])
      .filter(({ kind }) => kind === 'args')
      .map(({ getType }) => ({ name: `${root}.${field.schemaName}`, target: getType?.() as () => unknown })),
  );
  return [...inputTypes, ...argumentClasses];
}

/** Returns the JSON Schemas of all input fields. The keys are coordinates, such as `TicketCreateInput.title`. */
export function inputSchemas(): Map<string, JsonSchema> {
  const schemas = new Map<string, JsonSchema>();
  for (const { name, target } of inputClasses()) {
    for (const rule of rulesIn(target)) {
      const coordinate = `${name}.${rule.propertyName}`;
      schemas.set(coordinate, merged(schemas.get(coordinate) ?? {}, schemaOfRule(rule) ?? {}, coordinate));
    }
  }
  return schemas;
}

function merged(one: JsonSchema, other: JsonSchema, at: string): JsonSchema {
  const result: Record<string, unknown> = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const before = result[keyword];
    if (keyword === 'items' && before) result.items = merged(before as JsonSchema, value as JsonSchema, at);
    else if (before !== undefined && before !== value) result[keyword] = strictest(keyword, before, value, at);
    else result[keyword] = value;
  }
  return result;
}

/** Returns the stricter value if two rules of one field set the same keyword. */
function strictest(keyword: string, one: unknown, other: unknown, at: string): unknown {
  if (typeof one === 'number' && typeof other === 'number') return /^max/.test(keyword) ? Math.min(one, other) : Math.max(one, other);
  throw new Error(`${at} has two rules that set ${keyword}. State with jsonSchema() what both mean.`);
}
