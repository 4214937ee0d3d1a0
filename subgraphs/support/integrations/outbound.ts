import { type Agent, request } from 'undici';
import { connectionProblem, type RequestTimeouts } from '../../../kernel/outbound/connection.problem.ts';
import { retryAfterMs } from '../../../kernel/outbound/retry-after.ts';
import type { UrlGuard } from '../../../kernel/outbound/ssrf.ts';

const TIMEOUTS: RequestTimeouts = { connectMs: 5000, wholeMs: 10_000 };
/** More of an answer is not read. */
const READ_BYTES = 512 * 1024;

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
}

export interface OutboundAnswer {
  status: number;
  /** 0 where it says nothing. */
  retryAfterMs: number;
  /** At most 512 KiB. */
  text: string;
}

/** Nobody answered: what was asked for may have happened or not. The message is in words for the integration's owner. */
export class Unanswered extends Error {}

/** Requests to the remotes of integrations: to public addresses only, within ten seconds, never following a redirect. */
export class Outbound {
  readonly #agent: Agent;

  constructor(
    guard: UrlGuard,
    private readonly now: () => Date,
    private readonly timeouts: RequestTimeouts = TIMEOUTS,
  ) {
    this.#agent = guard.agent({ connectTimeoutMs: timeouts.connectMs, headersTimeout: 0, bodyTimeout: 0 });
  }

  /** @throws Unanswered */
  async send({ method, url, headers = {}, body }: OutboundRequest): Promise<OutboundAnswer> {
    try {
      const answer = await request(url, {
        method,
        headers: {
          accept: 'application/json, text/plain',
          'user-agent': 'Telecom-Platform-Integrations/1.2',
          ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(this.timeouts.wholeMs),
        dispatcher: this.#agent,
      });
      return {
        status: answer.statusCode,
        retryAfterMs: retryAfterMs(answer.headers['retry-after']?.toString(), this.now()),
        text: await beginningOf(answer.body),
      };
    } catch (error) {
      // the cause would bring addresses, and headers, into a log
      throw new Unanswered(connectionProblem(isLate(error) ? 'late' : (error as Error), this.timeouts));
    }
  }

  /** Lets what is under way end. */
  stop(): Promise<void> {
    return this.#agent.close();
  }
}

const isLate = (error: unknown): boolean => error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    // leaving the loop ends the connection
    if (size >= READ_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, READ_BYTES).toString('utf8');
}
