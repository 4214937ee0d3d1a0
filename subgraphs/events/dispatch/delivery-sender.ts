import { SpanKind } from '@opentelemetry/api';
import type { Clock } from '../../../kernel/clock.ts';
import type { RequestTimeouts } from '../../../kernel/outbound/connection-problem.ts';
import { HttpClient, NoResponse } from '../../../kernel/outbound/http.client.ts';
import type { UrlGuard } from '../../../kernel/outbound/ssrf.ts';
import { inTrace } from '../../../kernel/tracing/tracing.ts';
import type { Attempt } from '../deliveries/attempt.ts';
import type { Secrets } from '../webhooks/webhook-secret.ts';
import { signatureHeaders, signedBody } from './delivery-signature.ts';

/**
 * Maximum number of bytes that are read from a response. If the response is longer, the connection is not used again.
 */
const READ_BYTES = 16 * 1024;
const KEPT_BYTES = 1024;
const USER_AGENT = 'Telecom-Platform-Webhooks/1.2';

export interface Message {
  url: string;
  eventId: string;
  payload: string;
  secrets: Secrets;
  /** Trace context of the request that caused the event. */
  traceparent?: string | null;
}

/**
 * Posts signed messages to receivers. Each attempt takes at most ten seconds. If the status was received but the body
 * cannot be read, the result still contains the status.
 */
export class DeliverySender {
  readonly #client: HttpClient;
  #isStopped = false;

  constructor(
    guard: UrlGuard,
    private readonly clock: Clock,
    timeouts?: RequestTimeouts,
  ) {
    const options = { guard, clock, userAgent: USER_AGENT, maxBytes: READ_BYTES, isStatusEnough: true };
    this.#client = new HttpClient({ ...options, ...(timeouts && { timeouts }) });
  }

  /**
   * Makes one attempt.
   * @throws Error only if `stop` interrupted the attempt; the result of the attempt is then unknown
   */
  send(message: Message): Promise<Attempt> {
    return inTrace(message.traceparent, { name: 'webhook delivery', kind: SpanKind.CLIENT }, () => this.#send(message));
  }

  async #send({ url, eventId, payload, secrets }: Message): Promise<Attempt> {
    const at = this.clock.now();
    const body = signedBody(payload, secrets[0]);
    const headers = { 'content-type': 'application/json', ...signatureHeaders({ id: eventId, at, body, secrets }) };
    const started = performance.now();
    const made = () => ({ at, durationMs: Math.round(performance.now() - started) });
    try {
      const { status, bytes, retryAfterMs } = await this.#client.send({ method: 'POST', url, headers, body });
      return { ...made(), status, body: textOf(bytes), error: null, retryAfterMs };
    } catch (error) {
      if (this.#isStopped || !(error instanceof NoResponse)) throw error;
      return { ...made(), status: null, body: null, error: error.message, retryAfterMs: 0 };
    }
  }

  /** Interrupts running attempts and closes the connections. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#client.destroy();
  }
}

const decoder = new TextDecoder();

/**
 * Decodes the first bytes of a response body, which are stored. Replaces null characters, because PostgreSQL cannot
 * store them in a text.
 */
const textOf = (bytes: Buffer): string => decoder.decode(bytes.subarray(0, KEPT_BYTES)).replaceAll('\u0000', '\uFFFD');
