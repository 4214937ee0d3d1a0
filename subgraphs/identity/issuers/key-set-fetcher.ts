import type { JSONWebKeySet, JWK } from 'jose';
import { z } from 'zod';
import { HttpClient } from '../../../kernel/outbound/http.client.ts';
import type { UrlGuard } from '../../../kernel/outbound/ssrf.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const MAX_KEYS = 100;
/** Accepted key types. All of them are asymmetric. */
const PUBLIC_KINDS = ['RSA', 'EC', 'OKP'];

const keySetBody = z.object({ keys: z.array(z.unknown()) });

export interface FetchedKeySet {
  keySet: JSONWebKeySet;
  /** `max-age` of the Cache-Control header; undefined if the header does not state it. */
  maxAgeMs: number | undefined;
}

/** Fetches key sets of other issuers: from public addresses only, within five seconds, at most 256 KiB. */
export class KeySetFetcher {
  readonly #client: HttpClient;

  constructor(guard: UrlGuard) {
    this.#client = new HttpClient({ guard, timeouts: { connectMs: TIMEOUT_MS, wholeMs: TIMEOUT_MS }, maxBytes: MAX_BYTES });
  }

  /** Fetches a key set. @throws Error if the response is not a key set */
  async fetch(uri: string): Promise<FetchedKeySet> {
    const answer = await this.#client.send({ url: uri, headers: { accept: 'application/jwk-set+json, application/json' } });
    const { data } = answer.json(keySetBody);
    if (answer.status !== 200 || !data) throw new Error(`The response has status ${answer.status} and contains no key set.`);
    return { keySet: { keys: data.keys.slice(0, MAX_KEYS).filter(isUsable) }, maxAgeMs: maxAgeOf(answer.header('cache-control') ?? '') };
  }

  stop(): Promise<void> {
    return this.#client.destroy();
  }
}

const isUsable = (key: unknown): key is JWK => PUBLIC_KINDS.includes((Object(key) as JWK).kty ?? '') && !('d' in Object(key));

function maxAgeOf(cacheControl: string): number | undefined {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return 0;
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(cacheControl)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
