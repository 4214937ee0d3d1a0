import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import type { Problems } from '../kernel/errors/problems.ts';
import { isStorable, UNSTORABLE } from '../kernel/values/text.ts';
import { Conditions, type Decisions, NullCondition } from './conditions.ts';
import { compileCost, type DeclaredCosts } from './cost.ts';
import { requestError } from './errors.ts';
import { PROTOTYPE } from './execution/merge.ts';
import { type Introspection, introspectionOf } from './introspection.ts';
import { IntrospectionLimit } from './introspection-limit.ts';
import { exceededLimit, type Fragments, fragmentsOf, type OperationLimits } from './limits.ts';
import { isNestedBeyond, MAX_NESTING, NESTED_TOO_DEEPLY } from './nesting.ts';
import type { Variables } from './transport.ts';
import { compileVariableCheck } from './variables.ts';
import { type OperationPrice, priceOf } from './weight.ts';

/**
 * A document that is parsed, validated and checked against the limits. The cache returns the same object for the same
 * text.
 */
export interface PreparedDocument {
  readonly text: string;
  /**
   * The parsed document. The plan cache uses this object as a key. It has no definitions if the text is not valid
   * GraphQL.
   */
  readonly document: DocumentNode;
  readonly fragments: Fragments;
  /** Errors of syntax and validation, and exceeded limits. The document can be executed if there are none. */
  readonly errors: readonly GraphQLError[];
  /** True if the document exceeds a limit. It must not be validated for further errors, because validating it can take very long. */
  readonly isTooLarge: boolean;
  /** The operations of the document by name. Each operation is added at its first use. */
  readonly operations: Map<string, OperationVariants>;
}

/** One operation of a document. It is prepared once for each combination of its `@skip` and `@include` values. */
interface OperationVariants {
  readonly node: OperationDefinitionNode;
  readonly conditions: Conditions;
  readonly variants: BoundedCache<string, PreparedOperation>;
}

/** An operation whose `@skip` and `@include` conditions are resolved. */
export interface PreparedOperation {
  readonly prepared: PreparedDocument;
  readonly node: OperationDefinitionNode;
  readonly fragments: Fragments;
  readonly name: string | undefined;
  /** Values of the variables in `@skip` and `@include` for which this operation was prepared. */
  readonly decisions: Decisions;
  /** Weight and categories of the operation in the rate limit. */
  readonly price: OperationPrice;
  /**
   * Whether the operation selects introspection fields, data fields, or both. The router resolves introspection fields
   * itself.
   */
  readonly introspection: Introspection;
  /** Validates variables before any subgraph is called. */
  readonly checkVariables: (variables: Variables) => Problems;
  /** Returns the number of objects that the response may have. */
  readonly cost: (variables: Variables) => number;
  /** Number of executions. When a new supergraph is loaded, the most used operations are planned first. */
  uses: number;
}

const MAX_DOCUMENTS = 2_000;
/** Maximum number of prepared combinations of `@skip` and `@include` values per operation. */
const MAX_VARIANTS = 32;
/**
 * Maximum length of a document that counts as short. Only `MAX_LONG_DOCUMENTS` longer documents are cached, to limit
 * memory. Clients should send variables instead of long literals.
 */
const MAX_SHORT_LENGTH = 32 * 1024;
const MAX_LONG_DOCUMENTS = 20;

/**
 * The validation rules of graphql-js, except `SingleFieldSubscriptionsRule`. That rule does not support
 * `@skip(if: $variable)` on a root field, where the number of root fields depends on the variables.
 */
const RULES = specifiedRules.filter((rule) => rule !== SingleFieldSubscriptionsRule);

const EMPTY: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

/** Prepares the documents for one supergraph, and caches them. */
export class Documents {
  readonly #short = new BoundedCache<string, PreparedDocument>(MAX_DOCUMENTS);
  readonly #long = new BoundedCache<string, PreparedDocument>(MAX_LONG_DOCUMENTS);
  readonly #introspection: IntrospectionLimit;
  readonly #byObject = new WeakMap<DocumentNode, PreparedDocument>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly limits: OperationLimits,
    private readonly declaredCosts: DeclaredCosts,
  ) {
    this.#introspection = new IntrospectionLimit(schema);
  }

  /**
   * Prepares a text or a parsed document. For a parsed document, pass the same object at each execution, because it is
   * the key of the cache.
   */
  prepare(source: string | DocumentNode): PreparedDocument {
    if (typeof source === 'string') return this.#textsLike(source).get(source) ?? this.#keep(this.#parse(source));
    const known = this.#byObject.get(source);
    if (known) return known;
    const text = source.loc?.source.body ?? print(source);
    const prepared = this.#textsLike(text).get(text) ?? this.#keep(this.#validate(text, source));
    this.#byObject.set(source, prepared);
    return prepared;
  }

  /**
   * Returns the requested operation for these variables, without its `@skip` and `@include` conditions. Returns an
   * error if the document has no such operation.
   */
  operation(prepared: PreparedDocument, name: string | null | undefined, variables: Variables): PreparedOperation | GraphQLError {
    const operation = this.#variantsOf(prepared, name);
    if (operation instanceof GraphQLError) return operation;
    const decisions = operation.conditions.decide(variables);
    if (decisions instanceof NullCondition) return requestError({ field: decisions.variable, reason: 'must not be null' });
    const key = [...decisions.values()].join();
    const known = operation.variants.get(key);
    if (known) return known;
    const variant = this.#prepareOperation(prepared, operation, decisions);
    operation.variants.set(key, variant);
    return variant;
  }

  #variantsOf(prepared: PreparedDocument, name: string | null | undefined): OperationVariants | GraphQLError {
    const key = name ?? '';
    const known = prepared.operations.get(key);
    if (known) return known;
    const node = getOperationAST(prepared.document, name);
    if (!node)
      return requestError({
        field: 'operationName',
        reason: name
          ? `There is no operation named ${name}.`
          : 'The document must have one operation, or operationName must name one of them.',
      });
    const variants = {
      node,
      conditions: new Conditions(node, prepared.fragments),
      variants: new BoundedCache<string, PreparedOperation>(MAX_VARIANTS),
    };
    prepared.operations.set(key, variants);
    return variants;
  }

  #prepareOperation(prepared: PreparedDocument, { conditions }: OperationVariants, decisions: Decisions): PreparedOperation {
    const { node, fragments } = conditions.apply(decisions);
    return {
      prepared,
      node,
      fragments,
      name: node.name?.value,
      decisions,
      price: priceOf(node, fragments),
      introspection: introspectionOf(node, fragments),
      checkVariables: compileVariableCheck(this.schema, node),
      cost: compileCost(this.schema, node, fragments, this.limits, this.declaredCosts),
      uses: 0,
    };
  }

  /** Returns the most used operations. The operation with the most executions is first. */
  mostUsed(count: number): PreparedOperation[] {
    const operations = [...this.#short.values(), ...this.#long.values()].flatMap((document) => [...document.operations.values()]);
    const all = operations.flatMap(({ variants }) => [...variants.values()]).filter(({ uses }) => uses > 0);
    return all.sort((a, b) => b.uses - a.uses).slice(0, count);
  }

  #textsLike({ length }: string): BoundedCache<string, PreparedDocument> {
    return length <= MAX_SHORT_LENGTH ? this.#short : this.#long;
  }

  #keep(prepared: PreparedDocument): PreparedDocument {
    this.#textsLike(prepared.text).set(prepared.text, prepared);
    if (prepared.document !== EMPTY) this.#byObject.set(prepared.document, prepared);
    return prepared;
  }

  #parse(text: string): PreparedDocument {
    try {
      const tooDeep = isNestedBeyond(MAX_NESTING, text, this.limits.tokens);
      if (tooDeep) return refused(text, { ...EMPTY }, [requestError({ field: 'query', reason: NESTED_TOO_DEEPLY })], true);
      return this.#validate(text, parse(text, { maxTokens: this.limits.tokens }));
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return refused(text, EMPTY, [requestError({ field: 'query', reason: error.message }, error)]);
    }
  }

  #validate(text: string, document: DocumentNode): PreparedDocument {
    const fragments = fragmentsOf(document);
    const exceeded = exceededLimit(document, fragments, this.limits);
    if (exceeded) return refused(text, document, [requestError({ field: 'query', reason: exceeded })], true);
    const errors = [...unstorableTexts(document), ...reservedAliases(document), ...validate(this.schema, document, RULES)];
    if (errors.length > 0) {
      const located = errors.map((error) => requestError({ field: 'query', reason: error.message }, error));
      return refused(text, document, located);
    }
    const introspected = this.#introspection.exceeded(document, fragments);
    if (introspected) return refused(text, document, [requestError({ field: 'query', reason: introspected })], true);
    return { text, document, fragments, errors: [], isTooLarge: false, operations: new Map() };
  }
}

function unstorableTexts(document: DocumentNode): GraphQLError[] {
  const found: GraphQLError[] = [];
  visit(document, {
    StringValue: (node) => void (isStorable(node.value) || found.push(new GraphQLError(`A text ${UNSTORABLE}.`, { nodes: node }))),
  });
  return found;
}

/**
 * Rejects response keys that start with two underscores, which are reserved for GraphQL.
 * The key `__typename: name` would mislead the planner, and `__proto__` is not a normal property. Aliases of
 * `__typename` are allowed, because Relay uses them (`__isNode: __typename`).
 */
function reservedAliases(document: DocumentNode): GraphQLError[] {
  const found: GraphQLError[] = [];
  visit(document, {
    Field(node) {
      const alias = node.alias?.value;
      if (!alias?.startsWith('__') || (node.name.value === '__typename' && alias !== PROTOTYPE)) return;
      found.push(new GraphQLError(`The alias ${alias} begins with two underscores, as only names of GraphQL itself do.`, { nodes: node }));
    },
  });
  return found;
}

const refused = (text: string, document: DocumentNode, errors: GraphQLError[], isTooLarge = false): PreparedDocument => ({
  text,
  document,
  fragments: new Map(),
  errors,
  isTooLarge,
  operations: new Map(),
});
