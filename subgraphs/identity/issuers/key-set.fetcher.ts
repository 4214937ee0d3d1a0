import type { JSONWebKeySet, JWK } from 'jose';
import { type Agent, request } from 'undici';
import type { UrlGuard } from '../../../kernel/outbound/ssrf.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const MAX_KEYS = 100;
/** Kinds of keys that have a public half. */
const PUBLIC_KINDS = ['RSA', 'EC', 'OKP'];

export interface FetchedKeySet {
  keySet: JSONWebKeySet;
  /** As Cache-Control says; undefined where it says nothing. */
  maxAgeMs: number | undefined;
}

/** Fetches key sets of others: from public addresses only, within five seconds, at most 256 KiB, never following a redirect. */
export class KeySetFetcher {
  readonly #agent: Agent;

  constructor(guard: UrlGuard) {
    this.#agent = guard.agent({
      connectTimeoutMs: TIMEOUT_MS,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      maxResponseSize: MAX_BYTES,
    });
  }

  /** @throws Error for whatever is no key set */
  async fetch(uri: string): Promise<FetchedKeySet> {
    const { statusCode, headers, body } = await request(uri, {
      headers: { accept: 'application/jwk-set+json, application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      dispatcher: this.#agent,
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`The key set was answered with ${statusCode}.`);
    return { keySet: keySetIn(JSON.parse(text)), maxAgeMs: maxAgeOf(String(headers['cache-control'] ?? '')) };
  }

  stop(): Promise<void> {
    return this.#agent.destroy();
  }
}

function keySetIn(parsed: unknown): JSONWebKeySet {
  const { keys } = Object(parsed) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('The key set has no keys.');
  const isUsable = (key: unknown): key is JWK => PUBLIC_KINDS.includes((Object(key) as JWK).kty ?? '') && !('d' in Object(key));
  return { keys: keys.slice(0, MAX_KEYS).filter(isUsable) };
}

function maxAgeOf(cacheControl: string): number | undefined {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return 0;
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(cacheControl)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
