import {
  type DocumentNode,
  type GraphQLSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { type Fragments, fragmentsOf, INTROSPECTION } from './limits.ts';

/**
 * Maximum size of the introspection in one operation, as a number of full introspection queries (as tools send them).
 */
const MAX_QUERIES = 2;
/** Introspection fields that return a single type. The estimate assumes that this is the type with the most fields. */
const SINGLE_TYPE_FIELDS: ReadonlySet<string> = new Set(['__type', 'queryType', 'mutationType', 'subscriptionType']);

/**
 * Limits introspection by the estimated number of fields in the response. The estimate uses the average lengths of the lists in the schema.
 * For a single type (as in `__type`), it assumes the type with the most fields.
 */
export class IntrospectionLimit {
  readonly #lengths: ReadonlyMap<string, number>;
  readonly #mostFields: number;
  readonly #limit: number;

  constructor(schema: GraphQLSchema) {
    const types = Object.values(schema.getTypeMap());
    const fielded = types.filter((type) => isObjectType(type) || isInterfaceType(type));
    const fields = fielded.flatMap((type) => Object.values(type.getFields()));
    const inputs = types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields()));
    const values = types.filter(isEnumType).flatMap((type) => type.getValues());
    const count = Math.max(1, types.length);
    this.#lengths = new Map([
      ['types', count],
      ['fields', fields.length / count],
      ['inputFields', inputs.length / count],
      ['enumValues', values.length / count],
      ['args', fields.flatMap(({ args }) => args).length / Math.max(1, fields.length)],
      ['interfaces', fielded.flatMap((type) => type.getInterfaces()).length / count],
      ['possibleTypes', 1],
      ['directives', schema.getDirectives().length],
    ]);
    this.#mostFields = Math.max(0, ...fielded.map((type) => Object.keys(type.getFields()).length));
    const whole = parse(
      getIntrospectionQuery({ schemaDescription: true, specifiedByUrl: true, directiveIsRepeatable: true, inputValueDeprecation: true }),
    );
    this.#limit = MAX_QUERIES * this.#sizeOf(whole, fragmentsOf(whole));
  }

  /** Returns an error message if the introspection in a validated document is too large. Otherwise returns undefined. */
  exceeded(document: DocumentNode, fragments: Fragments): string | undefined {
    const size = this.#sizeOf(document, fragments);
    if (size <= this.#limit) return undefined;
    return `The operation selects as much of the schema as ${Math.ceil((size / this.#limit) * MAX_QUERIES)} full introspection queries; at most ${MAX_QUERIES} are allowed.`;
  }

  #sizeOf({ definitions }: DocumentNode, fragments: Fragments): number {
    const sizes = definitions.map((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? this.#sizeIn(definition.selectionSet, fragments, undefined) : 0,
    );
    return Math.max(...sizes);
  }

  /**
   * Returns the size of a selection inside the introspection field `parent`. If `parent` is undefined, the selection is
   * at the root, where only introspection fields count.
   */
  #sizeIn({ selections }: SelectionSetNode, fragments: Fragments, parent: string | undefined): number {
    let size = 0;
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) {
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        if (fragment) size += this.#sizeIn(fragment.selectionSet, fragments, parent);
        continue;
      }
      const name = selection.name.value;
      if (parent === undefined && !INTROSPECTION.has(name)) continue;
      const inner = selection.selectionSet ? this.#sizeIn(selection.selectionSet, fragments, name) : 0;
      const isOwn = name === 'fields' && parent !== undefined && SINGLE_TYPE_FIELDS.has(parent);
      size += 1 + (isOwn ? this.#mostFields : (this.#lengths.get(name) ?? 1)) * inner;
    }
    return size;
  }
}
