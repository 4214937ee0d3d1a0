import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionResult } from 'graphql';
import { InvalidParameters } from '../kernel/errors/errors.ts';
import { checkVersion } from '../kernel/http/api-version.ts';
import { sendError } from '../kernel/http/http.ts';
import type { RequestContext } from '../kernel/request.ts';
import type { CredentialWatch } from '../router/credential-watch.ts';
import type { LiveCaps } from '../router/live-caps.ts';
import type { Router } from '../router/router.ts';
import { isStream } from '../router/transport.ts';
import { graphError } from './graph.ts';
import { type InputPlan, planInput, RouteError } from './input-plan.ts';
import { compileReader, compileVariables, searchOf } from './input-reader.ts';
import { BASE } from './mount.ts';
import { EVENTS, eventStream } from './routes/event-stream.ts';
import { SseResponse } from './sse-response.ts';

export interface EventStreamOptions<C extends RequestContext> {
  /** Returns the context of a request that the edge has admitted. */
  admitted(request: FastifyRequest): C;
  /**
   * Called when the response has started, to release the concurrency slot of the request. An open stream must not
   * occupy a slot.
   */
  begun(admitted: C): void;
  /**
   * Authenticates the request again while the stream is open. Throws the same errors as the edge does at the start of a
   * request.
   */
  readmit(request: FastifyRequest): Promise<C>;
  watch: CredentialWatch<C>;
  caps: LiveCaps;
  /** Interval of the comments that keep proxies from closing the connection. Default: 15 s. */
  pingMs?: number;
}

const PING_MS = 15_000;

/**
 * Serves the subscription `events` as server-sent events. The events are the same as in the subscription over a
 * WebSocket, in another format.
 * The server's `preClose` hook ends all streams, and the clients reconnect.
 */
export async function mountEventStream<C extends RequestContext>(
  app: FastifyInstance,
  router: Router,
  options: EventStreamOptions<C>,
): Promise<void> {
  const streams = new EventStreams(router, options);
  app.addHook('preClose', async () => streams.close());
  await app.register(
    (scope, _, done) => {
      scope.setErrorHandler(sendError);
      scope.get(eventStream.path, { config: { access: 'authenticated' } }, (request, reply) => streams.serve(request, reply));
      done();
    },
    { prefix: BASE },
  );
}

class EventStreams<C extends RequestContext> {
  readonly #open = new Set<SseResponse>();
  readonly #pings: NodeJS.Timeout;
  readonly #input: InputPlan;
  readonly #variables: (request: FastifyRequest) => Record<string, unknown>;

  constructor(
    private readonly router: Router,
    private readonly options: EventStreamOptions<C>,
  ) {
    const field = router.schema.getSubscriptionType()?.getFields()[eventStream.field];
    if (!field) throw new RouteError(eventStream, `the graph has no subscription ${eventStream.field}`);
    this.#input = planInput(eventStream, field);
    const read = compileReader(eventStream, this.#input);
    const variables = compileVariables(eventStream, this.#input);
    this.#variables = (request) => {
      const { values, problems } = read({ params: {}, search: searchOf(request), body: undefined });
      problems.refuse();
      return variables(values);
    };
    this.#pings = setInterval(() => {
      for (const response of this.#open) response.ping();
    }, options.pingMs ?? PING_MS).unref();
  }

  close(): void {
    clearInterval(this.#pings);
    for (const response of this.#open) response.end();
  }

  async serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { headers } = request;
    checkVersion(headers['api-version']);
    requireAccepted(headers.accept);
    const resumed = headers['last-event-id'];
    const variables = { ...this.#variables(request), ...(resumed && { after: String(resumed) }) };
    const admitted = this.options.admitted(request);
    const { principal } = admitted;
    const slot = this.options.caps.connect(principal);
    try {
      slot.subscribe(principal);
      const results = await this.router.subscribe({ document: EVENTS, variables, context: admitted });
      if (!isStream(results)) throw graphError(results.errors ?? [], this.#input);
      reply.headers(HEADERS);
      if (request.method === 'HEAD') {
        await results.return?.();
        slot.leave();
        return reply.send();
      }
      this.#begin(request, reply, results, slot.leave.bind(slot));
      return reply;
    } catch (error) {
      slot.leave();
      throw error;
    }
  }

  #begin(request: FastifyRequest, reply: FastifyReply, results: AsyncIterableIterator<ExecutionResult>, leave: () => void): void {
    const admitted = this.options.admitted(request);
    reply.hijack();
    const response = new SseResponse(reply.raw, results, () => {
      this.#open.delete(response);
      watched.leave();
      leave();
    });
    const watched = this.options.watch.watch(admitted, {
      readmit: () => this.options.readmit(request),
      end: () => response.end(),
    });
    this.#open.add(response);
    this.options.begun(admitted);
    const { principal, log } = admitted;
    response
      .send(reply.getHeaders() as OutgoingHttpHeaders, (result) =>
        result.errors || watched.narrowed(principal) ? undefined : frameOf(result),
      )
      .catch((error: unknown) => log.error({ err: error }, 'An event stream failed'));
  }
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  vary: 'Authorization, X-API-Key, Accept, API-Version',
};

/**
 * Formats an event as one frame of server-sent events. The payload fits on one line, because JSON escapes line breaks.
 */
function frameOf({ data = {} }: ExecutionResult): string {
  const { id, event, payload } = (data as { events: Record<'id' | 'event' | 'payload', string> }).events;
  return `id: ${id}\nevent: ${event}\ndata: ${payload}\n\n`;
}

const ACCEPTED = new Set(['text/event-stream', 'text/*', '*/*']);

function requireAccepted(accept: string | undefined): void {
  const accepted = (accept ?? '*/*').split(',').map((range) => range.split(';'));
  const isAccepted = accepted.some(
    ([type = '', ...parameters]) =>
      ACCEPTED.has(type.trim().toLowerCase()) && !parameters.some((parameter) => /^\s*q=0(\.0*)?\s*$/.test(parameter)),
  );
  if (!isAccepted) throw new InvalidParameters([{ field: 'Accept', value: accept, reason: 'must allow text/event-stream' }]);
}
