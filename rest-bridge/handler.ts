import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../kernel/clock.ts';
import { entityTag, matchesAny, matchesStrongly } from '../kernel/entity-tags.ts';
import { InvalidParameters, PlatformError } from '../kernel/errors.ts';
import { errorBody, JSON_TYPE } from '../kernel/http.ts';
import type { RequestContext } from '../kernel/request.ts';
import { compileRepresentation, envelope, hasEnvelope } from './body.ts';
import type { CompiledRoute } from './compile.ts';
import { type Execute, type Found, readResult } from './graph.ts';
import { type Answer, answerOnce, checkKey, fingerprintOf, type IdempotencyStore } from './idempotency.ts';
import { searchOf } from './input.reader.ts';
import { readBodyOfGet } from './raw.body.ts';
import { callSofa, type Exchange, type SofaRoute } from './sofa.ts';

export interface HandlerOptions {
  execute: Execute;
  clock: Clock;
  /** Without one, `Idempotency-Key` is refused rather than ignored. */
  idempotency: IdempotencyStore | undefined;
}

/** Answers one route. Everything that does not depend on the request was made before. */
export class RouteHandler {
  readonly #represent: (found: Found) => string;
  readonly #isSafe: boolean;
  readonly #hasEnvelope: boolean;
  /** Whether an Idempotency-Key counts. Callers of a public operation are nobody in particular: they must not share answers. */
  readonly #isOnce: boolean;

  constructor(
    readonly compiled: CompiledRoute,
    private readonly sofa: SofaRoute,
    private readonly options: HandlerOptions,
    /** The GET of the same path. */
    private readonly reader: () => RouteHandler | undefined,
  ) {
    this.#represent = compileRepresentation(compiled);
    this.#isSafe = compiled.route.method === 'GET';
    this.#hasEnvelope = hasEnvelope(compiled);
    this.#isOnce = compiled.kind === 'mutation' && compiled.route.method === 'POST' && compiled.route.access !== 'public';
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (this.#isSafe) return this.#answerRead(request, reply);
    const values = this.#read(request, request.body);
    const ifMatch = request.headers['if-match'];
    if (ifMatch !== undefined) await this.#requireMatch(ifMatch, request);
    const answer = await this.#answerWrite(request, values);
    return reply.code(answer.status).headers(answer.headers).send(answer.body);
  }

  async #answerRead(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const body = this.compiled.route.bodyOnGet ? await readBodyOfGet(request) : undefined;
    const representation = this.#represent(await this.#run(request, this.#read(request, body)));
    const tag = entityTag(representation);
    const requestId = request.id;
    reply.header('etag', tag).header('cache-control', 'private, no-cache').header('vary', VARY).header('x-request-id', requestId);
    const ifNoneMatch = request.headers['if-none-match'];
    if (ifNoneMatch !== undefined && matchesAny(ifNoneMatch, tag)) return reply.code(304).send();
    return reply.code(this.compiled.status).header('content-type', JSON_TYPE).send(this.#body(representation, requestId));
  }

  /** Mutations, and queries by POST. */
  async #answerWrite(request: FastifyRequest, values: Record<string, unknown>): Promise<Answer> {
    const requestId = request.id;
    // what a change answers may be a key or a token
    const headers = { 'content-type': JSON_TYPE, 'x-request-id': requestId, 'cache-control': 'no-store' };
    const answer = async (): Promise<Answer> => {
      const representation = this.#represent(await this.#run(request, values));
      return { status: this.compiled.status, headers, body: this.#body(representation, requestId) };
    };
    const sentKey = request.headers['idempotency-key'];
    if (sentKey === undefined || !this.#isOnce) return answer();

    const key = checkKey(sentKey);
    const store = this.options.idempotency;
    if (!store) throw new InvalidParameters([{ field: 'Idempotency-Key', reason: 'is not supported here' }]);
    const { organizationId, id: callerId } = request.caller.principal;
    const claim = {
      store,
      scope: { organizationId, callerId },
      key,
      fingerprint: fingerprintOf(request.method, pathOf(request), request.body),
      lost: (error: unknown) => request.caller.log.error({ err: error }, 'idempotent answer not kept'),
    };
    return answerOnce(claim, answer, (error) => ({ status: error.status, headers, body: JSON.stringify(errorBody(error, requestId)) }));
  }

  #read(request: FastifyRequest, body: unknown): Record<string, unknown> {
    return this.compiled.read({ params: request.params as Record<string, string>, search: searchOf(request), body });
  }

  async #run(request: FastifyRequest, values: Record<string, unknown>): Promise<Found> {
    const exchange = new RouteExchange(this.compiled, this.options.execute, request.caller, values);
    await callSofa(this.sofa.handler, values, exchange);
    return exchange.outcome();
  }

  #body(representation: string, requestId: string): string {
    return this.#hasEnvelope ? envelope(representation, requestId, this.options.clock.now().toISOString()) : representation;
  }

  /**
   * RFC 9110, 13.1.1, with 409 as docs/decisions.md says. Compared just before the operation and not in its transaction: of two
   * requests with the same tag within those few milliseconds both may pass. Who must not lose such a race keeps a state machine
   * or a unique key in the subgraph, as every transition does.
   */
  async #requireMatch(ifMatch: string, request: FastifyRequest): Promise<void> {
    const reader = this.reader();
    if (!reader) throw new InvalidParameters([{ field: 'If-Match', reason: 'cannot be used here: there is no GET of this path' }]);
    const tag = await reader.tagFor(request);
    if (ifMatch.trim() === '*' || matchesStrongly(ifMatch, tag)) return;
    throw new PlatformError('STALE_RESOURCE', 'The record has changed since you read it. Read it again and repeat your change.', {
      current: tag,
    });
  }

  /** The entity tag that a GET of the request's path would have now, for the same caller. */
  async tagFor(request: FastifyRequest): Promise<string> {
    const values = this.compiled.read({ params: request.params as Record<string, string>, search: undefined, body: undefined });
    return entityTag(this.#represent(await this.#run(request, values)));
  }
}

const VARY = 'Authorization, X-API-Key, Accept, API-Version';

/** One call of Sofa's handler for a route. Sofa writes a member `request` into it. */
class RouteExchange implements Exchange {
  #found: Found | undefined;

  constructor(
    private readonly compiled: CompiledRoute,
    private readonly execute: Execute,
    private readonly caller: RequestContext,
    private readonly values: Readonly<Record<string, unknown>>,
  ) {}

  async run(parsed: Record<string, unknown>): Promise<void> {
    // Sofa takes an explicit null for a missing argument, and a null clears
    for (const name in this.values) if (this.values[name] === null) parsed[name] = null;
    const { document, route, variables } = this.compiled;
    const result = await this.execute({ document, operationName: route.operationId, variables: variables(parsed), context: this.caller });
    this.#found = readResult(this.compiled, result, this.values);
  }

  outcome(): Found {
    if (!this.#found) throw new Error(`Sofa did not run ${this.compiled.route.operationId}.`);
    return this.#found;
  }
}

const pathOf = ({ raw: { url = '' } }: FastifyRequest): string => url.split('?', 1)[0] ?? '';
