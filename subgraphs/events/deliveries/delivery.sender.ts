import { type Agent, request } from 'undici';
import type { Clock } from '../../../kernel/clock.ts';
import { ForbiddenAddress, type UrlGuard } from '../../../kernel/ssrf.ts';
import type { Secrets } from '../webhooks/webhook.secret.ts';
import { retryAfterMs } from './delivery.schedule.ts';
import { signatureHeaders, signedBody } from './delivery.signature.ts';

const TIMEOUT_MS = 10_000;
const READ_BYTES = 16 * 1024;
const KEPT_BYTES = 1024;
const USER_AGENT = 'Telecom-Platform-Webhooks/1.2';

export interface Message {
  url: string;
  eventId: string;
  payload: string;
  secrets: Secrets;
}

/** What came of one attempt. Exactly one of `status` and `error` is null. */
export interface Attempt {
  at: Date;
  durationMs: number;
  /** The HTTP status of the answer. */
  status: number | null;
  /** The first KiB of the answer. */
  body: string | null;
  /** Why there was no answer, in words for the webhook's owner. */
  error: string | null;
  retryAfterMs: number;
}

export const isSuccess = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

/** Posts signed messages to receivers: over kept connections, within ten seconds each, never following a redirect. */
export class DeliverySender {
  readonly #agent: Agent;
  readonly #shutdown = new AbortController();

  constructor(
    guard: UrlGuard,
    private readonly clock: Clock,
  ) {
    this.#agent = guard.agent({ connectTimeoutMs: TIMEOUT_MS, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
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
    const outcome = await this.#post(url, headers, body);
    return { at, durationMs: Math.round(performance.now() - started), ...outcome };
  }

  /** Cuts off what is under way and closes the connections. */
  async stop(): Promise<void> {
    this.#shutdown.abort();
    await this.#agent.destroy();
  }

  async #post(
    url: string,
    headers: Record<string, string>,
    body: string,
  ): Promise<Pick<Attempt, 'status' | 'body' | 'error' | 'retryAfterMs'>> {
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.#shutdown.signal]);
    try {
      const response = await request(url, { method: 'POST', headers, body, signal, dispatcher: this.#agent });
      const retryAfter = response.headers['retry-after'];
      const text = await firstOf(response.body);
      return {
        status: response.statusCode,
        body: text,
        error: null,
        retryAfterMs: retryAfterMs(String(retryAfter ?? ''), this.clock.now()),
      };
    } catch (error) {
      this.#shutdown.signal.throwIfAborted();
      return { status: null, body: null, error: reasonOf(error), retryAfterMs: 0 };
    }
  }
}

/** Reads a little, so that the connection can be kept after a short answer; a long or broken one does not undo the status. */
async function firstOf(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      // leaving the loop destroys the rest
      if (size > READ_BYTES) break;
    }
  } catch {
    // what was read until then is shown
  }
  // PostgreSQL's text cannot hold a null character
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, KEPT_BYTES)).replaceAll('\u0000', '\uFFFD');
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: `no connection within ${TIMEOUT_MS / 1000} s`,
};

/** Without addresses, which may be those of a network that the owner cannot see. */
function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddress) return error.message;
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError' || error.name === 'HeadersTimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(ERR_TLS|ERR_SSL|CERT|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code)) return 'the TLS connection could not be established';
  return REASONS[code] ?? 'the request failed';
}
