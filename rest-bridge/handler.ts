import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../kernel/clock.ts';
import { InvalidParameters, PlatformError, StaleResource } from '../kernel/errors/errors.ts';
import type { ExecuteGraph } from '../kernel/graph.ts';
import { entityTag, heldTag, matchesStrongly } from '../kernel/http/entity-tags.ts';
import { envelope } from '../kernel/http/envelope.ts';
import { errorBody, JSON_TYPE } from '../kernel/http/http.ts';
import {
  checkKey,
  fingerprintOf,
  type IdempotencyStore,
  idempotencyScope,
  respondOnce,
  type StoredResponse,
} from '../kernel/idempotency/idempotency.ts';
import { copyRequest, type RequestContext } from '../kernel/request.ts';
import { compileRepresentation, hasEnvelope } from './body.ts';
import type { CompiledRoute } from './compiled-route.ts';
import { type Found, graphError, readResult } from './graph.ts';
import { EXPECTED_REVISION } from './input-plan.ts';
import { searchOf } from './input-reader.ts';
import { inOrderOf, refusalOf } from './input-refusal.ts';
import type { RestOptions } from './mount.ts';
import { requireOperation } from './permission.ts';
import { readBodyOfGet } from './raw-body.ts';
import { callSofa, type Exchange, type SofaRoute } from './sofa.ts';

export interface HandlerOptions {
  execute: ExecuteGraph;
  present: RestOptions['present'];
  rules: RestOptions['rules'];
  clock: Clock;
  /** Store for requests with an `Idempotency-Key`. Without a store, requests with this header are rejected. */
  idempotency: IdempotencyStore | undefined;
}

/** Handles the requests of one route. Everything that does not depend on the request is computed in advance. */
export class RouteHandler {
  readonly #represent: (found: Found) => string;
  readonly #isSafe: boolean;
  readonly #hasEnvelope: boolean;
  /**
   * Whether an Idempotency-Key is accepted. Public operations do not accept it: their callers are anonymous and must
   * not share responses.
   */
  readonly #isOnce: boolean;

  constructor(
    readonly compiled: CompiledRoute,
    private readonly sofa: SofaRoute,
    private readonly options: HandlerOptions,
    /** Returns the handler of GET for the same path, if there is one. */
    private readonly reader: () => RouteHandler | undefined,
  ) {
    this.#represent = compileRepresentation(compiled);
    this.#isSafe = compiled.route.method === 'GET';
    this.#hasEnvelope = hasEnvelope(compiled);
    this.#isOnce = compiled.kind === 'mutation' && compiled.route.method === 'POST' && compiled.route.access !== 'public';
  }

  /**
   * Checks, before the request is read, that the caller may use this operation.
   * @throws PlatformError if the caller may not use it
   */
  async admit(caller: RequestContext): Promise<void> {
    if (this.compiled.route.access === 'public') return;
    try {
      requireOperation(this.compiled, caller.principal);
    } catch (error) {
      throw this.options.present ? graphError([await this.options.present(error, caller)], this.compiled.input) : error;
    }
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (this.#isSafe) return this.#answerRead(request, reply);
    const values = await this.#read(request, request.body);
    const ifMatch = request.headers['if-match'];
    const matched = ifMatch === undefined ? undefined : await this.#requireMatch(ifMatch, request);
    const answer = await this.#answerWrite(request, values, matched);
    return reply.code(answer.status).headers(answer.headers).send(answer.body);
  }

  async #answerRead(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const body = this.compiled.route.bodyOnGet ? await readBodyOfGet(request) : undefined;
    const representation = this.#represent(await this.#run(request, await this.#read(request, body)));
    const tag = entityTag(representation);
    const requestId = request.id;
    reply.header('etag', tag).header('cache-control', 'private, no-cache').header('vary', VARY).header('x-request-id', requestId);
    const held = heldTag(request.headers['if-none-match'], tag);
    if (held) return reply.code(304).header('etag', held).send();
    return reply.code(this.compiled.status).header('content-type', JSON_TYPE).send(this.#body(representation, requestId));
  }

  /** Creates the response to a mutation, or to a query that is sent with POST. */
  async #answerWrite(request: FastifyRequest, values: Record<string, unknown>, matched?: Matched): Promise<StoredResponse> {
    const requestId = request.id;
    // the response must not be cached, because it may contain a key or a token
    const headers = { 'content-type': JSON_TYPE, 'x-request-id': requestId, 'cache-control': 'no-store' };
    const answer = async (): Promise<StoredResponse> => {
      const found = await this.#runMatched(request, values, matched);
      const tag = await this.#tagAfter(request, found);
      const body = this.#body(this.#represent(found), requestId);
      return { status: this.compiled.status, headers: { ...headers, ...(tag && { etag: tag }) }, body };
    };
    const sentKey = request.headers['idempotency-key'];
    if (sentKey === undefined || !this.#isOnce) return answer();

    const key = checkKey(sentKey);
    const store = this.options.idempotency;
    if (!store) throw new InvalidParameters([{ field: 'Idempotency-Key', reason: 'is not supported here' }]);
    const claim = {
      store,
      scope: idempotencyScope(request.caller.principal),
      key,
      fingerprint: fingerprintOf(request.method, pathOf(request), request.body),
      lost: (error: unknown) => request.caller.log.error({ err: error }, 'The response for an Idempotency-Key could not be stored'),
    };
    return respondOnce(claim, answer, (error) => ({ status: error.status, headers, body: JSON.stringify(errorBody(error, requestId)) }));
  }

  /**
   * Reads the input of a request. If some values are missing or have the wrong type, the other values are checked by
   * the rules of the subgraph too, so that one response lists all problems.
   * @throws InvalidParameters with all problems
   */
  async #read(request: FastifyRequest, body: unknown): Promise<Record<string, unknown>> {
    const { values, problems } = this.compiled.read({ params: request.params as Record<string, string>, search: searchOf(request), body });
    if (problems.total === 0) return values;
    const { kind, field, input, variables } = this.compiled;
    const isChecked = !problems.isFull && field.args.length > 0;
    const broken = isChecked ? await this.options.rules?.(kind, field.name, variables(values), request.caller) : [];
    throw refusalOf(input, problems, broken ?? [], body);
  }

  /**
   * Runs the operation after `If-Match` was checked. Another request may change the record after this check. The
   * operation detects this change if the record has revisions.
   */
  async #runMatched(request: FastifyRequest, values: Record<string, unknown>, matched: Matched | undefined): Promise<Found> {
    if (!matched) return this.#run(request, values);
    try {
      return await this.#run(request, values, matched.revision);
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'STALE_RESOURCE')
        // uses a new context, because the context of the request caches the records that it has loaded
        throw new StaleResource((await matched.reader.stateFor(request, copyRequest(request.caller))).tag);
      throw error;
    }
  }

  async #run(
    request: FastifyRequest,
    values: Record<string, unknown>,
    revision?: number,
    caller: RequestContext = request.caller,
  ): Promise<Found> {
    const exchange = new RouteExchange(this.compiled, this.options.execute, caller, values, revision);
    try {
      await callSofa(this.sofa.handler, values, exchange);
    } catch (error) {
      throw error instanceof InvalidParameters ? inOrderOf(request.body, this.compiled.input, error) : error;
    }
    return exchange.outcome();
  }

  #body(representation: string, requestId: string): string {
    return this.#hasEnvelope ? envelope(representation, requestId, this.options.clock.now().toISOString()) : representation;
  }

  /**
   * Compares `If-Match` with the entity tag of the record (RFC 9110, 13.1.1; docs/decisions/idempotency.md), and
   * returns the revision of the record. The operation compares this revision again in its transaction. Without a
   * revision, only this comparison protects the record: two requests with the same tag within a few milliseconds may
   * both succeed.
   * @throws StaleResource (409) if the record has changed
   */
  async #requireMatch(ifMatch: string, request: FastifyRequest): Promise<Matched | undefined> {
    const reader = this.reader();
    if (!reader) throw new InvalidParameters([{ field: 'If-Match', reason: 'cannot be used here: there is no GET of this path' }]);
    const { tag, revision } = await reader.stateFor(request);
    if (ifMatch.trim() === '*') return undefined;
    if (!matchesStrongly(ifMatch, tag)) throw new StaleResource(tag);
    return { reader, revision };
  }

  /**
   * Returns the entity tag of a record after a PUT, so that the caller can use it for the next change.
   * Undefined if the caller may not read the record, or if another request has changed the record since the PUT. The
   * caller has not seen that later change.
   */
  async #tagAfter(request: FastifyRequest, changed: Found): Promise<string | undefined> {
    const reader = this.reader();
    if (this.compiled.route.method !== 'PUT' || !reader) return undefined;
    const [own, read] = [this.compiled, reader.compiled];
    if (own.object === read.object && own.route.wrap === read.route.wrap) return entityTag(this.#represent(changed));
    try {
      requireOperation(read, request.caller.principal);
      const { tag, record } = await reader.stateFor(request, copyRequest(request.caller));
      const [before, now] = [Object(changed.data).updated_at, Object(record).updated_at] as unknown[];
      return before === undefined || now === undefined || before === now ? tag : undefined;
    } catch {
      // the PUT has already succeeded: an error here must not fail the request
      return undefined;
    }
  }

  /**
   * Runs this GET operation with the path parameters of `request`, and returns the current record with its entity tag
   * and revision. Default of `caller`: the context of `request`.
   */
  async stateFor(
    request: FastifyRequest,
    caller?: RequestContext,
  ): Promise<{ tag: string; revision: number | undefined; record: unknown }> {
    const { values, problems } = this.compiled.read({
      params: request.params as Record<string, string>,
      search: undefined,
      body: undefined,
    });
    problems.refuse();
    const found = await this.#run(request, values, undefined, caller);
    const { revision } = Object(found.data) as { revision?: unknown };
    return { tag: entityTag(this.#represent(found)), revision: typeof revision === 'number' ? revision : undefined, record: found.data };
  }
}

/**
 * The result of a successful `If-Match` check: the revision of the record, and the handler of GET for the same path.
 */
interface Matched {
  reader: RouteHandler;
  revision: number | undefined;
}

const VARY = 'Authorization, X-API-Key, Accept, Accept-Encoding, API-Version';

/** One call of Sofa's handler for a route. Sofa adds a property `request` to this object. */
class RouteExchange implements Exchange {
  #found: Found | undefined;

  constructor(
    private readonly compiled: CompiledRoute,
    private readonly execute: ExecuteGraph,
    private readonly caller: RequestContext,
    private readonly values: Readonly<Record<string, unknown>>,
    private readonly revision: number | undefined,
  ) {}

  async run(parsed: Record<string, unknown>): Promise<void> {
    // Sofa treats null as a missing argument, but null must reach the graph, because it clears a field
    for (const name in this.values) if (this.values[name] === null) parsed[name] = null;
    const { document, route, variables, field } = this.compiled;
    const takesRevision = this.revision !== undefined && field.args.some(({ name }) => name === EXPECTED_REVISION);
    const result = await this.execute({
      document,
      operationName: route.operationId,
      variables: { ...variables(parsed), ...(takesRevision && { [EXPECTED_REVISION]: this.revision }) },
      context: this.caller,
    });
    this.#found = readResult(this.compiled, result, this.values);
  }

  outcome(): Found {
    if (!this.#found) throw new Error(`Sofa did not run ${this.compiled.route.operationId}.`);
    return this.#found;
  }
}

const pathOf = ({ raw: { url = '' } }: FastifyRequest): string => url.split('?', 1)[0] ?? '';
