import type { Agent, Dispatcher } from 'undici';
import type { Clock } from '../../../kernel/clock.ts';
import { connectionProblem } from '../../../kernel/outbound/connection.problem.ts';
import { retryAfterMs } from '../../../kernel/outbound/retry-after.ts';
import type { UrlGuard } from '../../../kernel/outbound/ssrf.ts';
import type { Attempt } from '../deliveries/attempt.ts';
import type { Secrets } from '../webhooks/webhook.secret.ts';
import { signatureHeaders, signedBody } from './delivery.signature.ts';

/** How long an attempt may take: to connect, TLS included, and as a whole. */
export interface DeliveryTimeouts {
  connectMs: number;
  wholeMs: number;
}
const TIMEOUTS: DeliveryTimeouts = { connectMs: 5000, wholeMs: 10_000 };
/** So much of an answer is read, for the connection to be kept after a short one. */
const READ_BYTES = 16 * 1024;
const KEPT_BYTES = 1024;
const USER_AGENT = 'Telecom-Platform-Webhooks/1.2';

export interface Message {
  url: string;
  eventId: string;
  payload: string;
  secrets: Secrets;
}

/** Posts signed messages to receivers: over kept connections, within ten seconds each, never following a redirect. */
export class DeliverySender {
  readonly #agent: Agent;
  readonly #underWay = new Set<Exchange>();
  #isStopped = false;

  constructor(
    guard: UrlGuard,
    private readonly clock: Clock,
    private readonly timeouts: DeliveryTimeouts = TIMEOUTS,
  ) {
    // an attempt has one deadline, which holds for all of it
    this.#agent = guard.agent({ connectTimeoutMs: timeouts.connectMs, headersTimeout: 0, bodyTimeout: 0 });
  }

  /** Never throws, but for an attempt that `stop` cut off: then nobody knows what came of it. */
  async send({ url, eventId, payload, secrets }: Message): Promise<Attempt> {
    const at = this.clock.now();
    const body = signedBody(payload, secrets[0]);
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      ...signatureHeaders({ id: eventId, at, body, secrets }),
    };
    const started = performance.now();
    const answer = await this.#post(url, headers, body);
    const durationMs = Math.round(performance.now() - started);
    if (answer instanceof Error)
      return { at, durationMs, status: null, body: null, error: reasonOf(answer, this.timeouts), retryAfterMs: 0 };
    const { status, retryAfter, body: text } = answer;
    return { at, durationMs, status, body: text, error: null, retryAfterMs: retryAfterMs(retryAfter, this.clock.now()) };
  }

  /** Cuts off what is under way and closes the connections. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const exchange of this.#underWay) exchange.end(new CutOff());
    await this.#agent.destroy();
  }

  async #post(url: string, headers: Record<string, string>, body: string): Promise<Answer | Error> {
    if (this.#isStopped) throw new CutOff();
    const exchange = new Exchange();
    this.#underWay.add(exchange);
    const deadline = setTimeout(() => exchange.end(new TooLate()), this.timeouts.wholeMs);
    const { origin, pathname, search } = new URL(url);
    this.#agent.dispatch({ origin, path: `${pathname}${search}`, method: 'POST', headers, body }, exchange);
    const answer = await exchange.answer;
    clearTimeout(deadline);
    this.#underWay.delete(exchange);
    if (answer instanceof CutOff) throw answer;
    return answer;
  }
}

class CutOff extends Error {}
class TooLate extends Error {}
class LongEnough extends Error {}

interface Answer {
  status: number;
  retryAfter: string | undefined;
  body: string;
}

/**
 * One request and what comes back. From the status on there is an answer, whatever becomes of its body: a long one is not read
 * to the end, and one that breaks off or takes too long does not undo the status.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Answer | Error>;
  readonly #resolve: (answer: Answer | Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Omit<Answer, 'body'> | undefined;
  #ended: Error | undefined;
  readonly #kept: Buffer[] = [];
  #size = 0;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<Answer | Error>();
    this.answer = promise;
    this.#resolve = resolve;
  }

  /** No more is waited for. */
  end(reason: Error): void {
    this.#finish(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended) controller.abort(this.#ended);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status >= 200) this.#head = { status, retryAfter: headers['retry-after']?.toString() };
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#size < KEPT_BYTES) this.#kept.push(chunk);
    this.#size += chunk.length;
    if (this.#size > READ_BYTES) this.end(new LongEnough());
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish(error);
  }

  #finish(error?: Error): void {
    this.#ended ??= error;
    this.#resolve(this.#head ? { ...this.#head, body: textOf(this.#kept) } : (error ?? new Error('There was no status.')));
  }
}

const decoder = new TextDecoder();

/** PostgreSQL's text cannot hold a null character. */
function textOf(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return '';
  return decoder.decode(Buffer.concat(chunks).subarray(0, KEPT_BYTES)).replaceAll('\u0000', '\uFFFD');
}

/** Without addresses, which may be those of a network that the owner cannot see. */
const reasonOf = (error: Error, timeouts: DeliveryTimeouts): string =>
  connectionProblem(error instanceof TooLate ? 'late' : error, timeouts);
