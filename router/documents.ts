import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  validate,
  visit,
} from 'graphql';
import { isStorable, UNSTORABLE } from '../kernel/text.ts';
import { BoundedCache } from './bounded-cache.ts';
import { compileCost, type DeclaredCosts } from './cost.ts';
import { requestError } from './errors.ts';
import { PROTOTYPE } from './execution/merge.ts';
import { type Introspection, introspectionOf } from './introspection.ts';
import { exceededLimit, type Fragments, fragmentsOf, type OperationLimits } from './limits.ts';
import type { Variables } from './transport.ts';
import { type OperationPrice, priceOf } from './weight.ts';

/** A document as the router keeps it: parsed, validated and measured once. The same text is the same object. */
export interface PreparedDocument {
  readonly text: string;
  /** The object that plans are kept by. Empty where the text is not GraphQL. */
  readonly document: DocumentNode;
  readonly fragments: Fragments;
  /** Why it is refused: syntax, validation, a limit. Empty for one that can be executed. */
  readonly errors: readonly GraphQLError[];
  /** By operation name, made when it is first asked for. */
  readonly operations: Map<string, PreparedOperation>;
}

export interface PreparedOperation {
  readonly prepared: PreparedDocument;
  readonly node: OperationDefinitionNode;
  readonly name: string | undefined;
  /** What it costs against the rate limit. */
  readonly price: OperationPrice;
  /** Whether it asks about the schema, which the router knows itself, and whether about data besides. */
  readonly introspection: Introspection;
  /** Objects that the answer may have. */
  readonly cost: (variables: Variables) => number;
  /** How often it was executed: what is used most is planned first for a new supergraph. */
  uses: number;
}

const MAX_DOCUMENTS = 2_000;
/** A longer text is parsed each time: the cache is bounded by its size too, and literals belong into variables. */
const MAX_KEPT_LENGTH = 32 * 1024;

const EMPTY: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

/** The documents of one supergraph. */
export class Documents {
  readonly #byText = new BoundedCache<string, PreparedDocument>(MAX_DOCUMENTS);
  readonly #byObject = new WeakMap<DocumentNode, PreparedDocument>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly limits: OperationLimits,
    private readonly declaredCosts: DeclaredCosts,
  ) {}

  /** Prepares a text, or a document that someone else parsed and hands in each time. */
  prepare(source: string | DocumentNode): PreparedDocument {
    if (typeof source === 'string') return this.#byText.get(source) ?? this.#keep(this.#parse(source));
    const known = this.#byObject.get(source);
    if (known) return known;
    const text = source.loc?.source.body ?? print(source);
    const prepared = this.#byText.get(text) ?? this.#keep(this.#validate(text, source));
    this.#byObject.set(source, prepared);
    return prepared;
  }

  /** The operation that a request names, or why there is none such. */
  operation(prepared: PreparedDocument, name: string | null | undefined): PreparedOperation | GraphQLError {
    const key = name ?? '';
    const known = prepared.operations.get(key);
    if (known) return known;
    const node = getOperationAST(prepared.document, name);
    if (!node)
      return requestError({
        field: 'operationName',
        reason: name ? `There is no operation named ${name}.` : 'Name one of the operations.',
      });
    const { fragments } = prepared;
    const introspection = introspectionOf(node, fragments);
    const operation = {
      prepared,
      node,
      name: node.name?.value,
      price: priceOf(node, fragments),
      introspection,
      cost: compileCost(this.schema, node, fragments, this.limits, this.declaredCosts),
      uses: 0,
    };
    prepared.operations.set(key, operation);
    return operation;
  }

  /** What was used most, most first. */
  mostUsed(count: number): PreparedOperation[] {
    const all = [...this.#byText.values()].flatMap(({ operations }) => [...operations.values()]).filter(({ uses }) => uses > 0);
    return all.sort((a, b) => b.uses - a.uses).slice(0, count);
  }

  #keep(prepared: PreparedDocument): PreparedDocument {
    if (prepared.text.length <= MAX_KEPT_LENGTH) this.#byText.set(prepared.text, prepared);
    if (prepared.document !== EMPTY) this.#byObject.set(prepared.document, prepared);
    return prepared;
  }

  #parse(text: string): PreparedDocument {
    try {
      return this.#validate(text, parse(text, { maxTokens: this.limits.tokens }));
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return refused(text, EMPTY, [requestError({ field: 'query', reason: error.message }, error)]);
    }
  }

  #validate(text: string, document: DocumentNode): PreparedDocument {
    const errors = [...unstorableTexts(document), ...reservedAliases(document), ...validate(this.schema, document)].map((error) =>
      requestError({ field: 'query', reason: error.message }, error),
    );
    if (errors.length > 0) return refused(text, document, errors);
    const fragments = fragmentsOf(document);
    const exceeded = document.definitions
      .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
      .map((operation) => exceededLimit(operation, fragments, this.limits))
      .find(Boolean);
    const failures = exceeded ? [requestError({ field: 'query', reason: exceeded })] : [];
    return { text, document, fragments, errors: failures, operations: new Map() };
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
 * Response keys that begin as the names of GraphQL itself do: `__typename: name` would lie to the planner, `__proto__` is no
 * member at all. Other aliases of `__typename` stay, since Relay writes them (`__isNode: __typename`).
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

const refused = (text: string, document: DocumentNode, errors: GraphQLError[]): PreparedDocument => ({
  text,
  document,
  fragments: new Map(),
  errors,
  operations: new Map(),
});
