import { SpanKind } from '@opentelemetry/api';
import type { Clock } from '../../../kernel/clock.ts';
import type { RequestTimeouts } from '../../../kernel/outbound/connection-problem.ts';
import { HttpClient, Unanswered } from '../../../kernel/outbound/http.client.ts';
import type { UrlGuard } from '../../../kernel/outbound/ssrf.ts';
import { inTrace } from '../../../kernel/tracing/tracing.ts';
import type { Attempt } from '../deliveries/attempt.ts';
import type { Secrets } from '../webhooks/webhook-secret.ts';
import { signatureHeaders, signedBody } from './delivery-signature.ts';

/** So much of an answer is read, for the connection to be kept after a short one. */
const READ_BYTES = 16 * 1024;
const KEPT_BYTES = 1024;
const USER_AGENT = 'Telecom-Platform-Webhooks/1.2';

export interface Message {
  url: string;
  eventId: string;
  payload: string;
  secrets: Secrets;
  /** Of the request that led to the event. */
  traceparent?: string | null;
}

/** Posts signed messages to receivers: within ten seconds each. From the status on there is an answer, whatever becomes of its body. */
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

  /** Never throws, but for an attempt that `stop` cut off: then nobody knows what came of it. */
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
      if (this.#isStopped || !(error instanceof Unanswered)) throw error;
      return { ...made(), status: null, body: null, error: error.message, retryAfterMs: 0 };
    }
  }

  /** Cuts off what is under way and closes the connections. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#client.destroy();
  }
}

const decoder = new TextDecoder();

/** PostgreSQL's text cannot hold a null character. */
const textOf = (bytes: Buffer): string => decoder.decode(bytes.subarray(0, KEPT_BYTES)).replaceAll('\u0000', '\uFFFD');
