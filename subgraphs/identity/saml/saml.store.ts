import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { CacheProvider } from '@node-saml/node-saml';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { newSecret, secretDigest } from '../tokens/secret.ts';
import { SamlAssertion, SamlCode, SamlRequest } from './saml-records.entity.ts';

/** A user who has to find their password at the identity provider needs some time. */
const REQUEST_MS = 15 * 60_000;
const CODE_MS = 60_000;

/** What must be remembered between the steps of a sign-in, in the database: the steps may reach different processes. */
export class SamlStore {
  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
  ) {}

  /** False where there is a request with this id already. `browser` is what its cookie holds. */
  async begin(id: string, connectionId: string, browser: string): Promise<boolean> {
    const now = this.clock.now();
    const em = this.#em();
    await em.nativeDelete(SamlRequest, { expiresAt: { $lte: now } });
    const request = { id, connectionId, browser: secretDigest(browser), expiresAt: new Date(now.getTime() + REQUEST_MS) };
    return unlessThere(() => em.insert(SamlRequest, request));
  }

  request(id: string): Promise<SamlRequest | null> {
    return this.#em().findOne(SamlRequest, { id, expiresAt: { $gt: this.clock.now() } });
  }

  /** What node-saml asks about the requests of a connection; `begun` is called for each that it makes. */
  cacheOf(connectionId: string, begun?: (id: string) => Promise<unknown>): CacheProvider {
    return {
      saveAsync: async (id, value) => {
        await begun?.(id);
        return { value, createdAt: Date.now() };
      },
      // it compares the value with the machine's clock; that the request is not too old was decided here, by the platform's
      getAsync: async (id) => ((await this.request(id))?.connectionId === connectionId ? new Date().toISOString() : null),
      removeAsync: async (id) => {
        if (id) await this.#em().nativeDelete(SamlRequest, { id, connectionId });
        return id;
      },
    };
  }

  /** False where this assertion was used before. */
  async spendAssertion(connectionId: string, assertionId: string, expiresAt: Date): Promise<boolean> {
    const em = this.#em();
    await em.nativeDelete(SamlAssertion, { expiresAt: { $lte: this.clock.now() } });
    return unlessThere(() => em.insert(SamlAssertion, { hash: secretDigest(`${connectionId} ${assertionId}`), expiresAt }));
  }

  /** A code that stands for a user, once, for a minute, in this browser. */
  async issueCode(userId: string, browser: string): Promise<string> {
    const now = this.clock.now();
    const em = this.#em();
    const code = newSecret('samlc_');
    await em.nativeDelete(SamlCode, { expiresAt: { $lte: now } });
    await em.insert(SamlCode, { hash: codeDigest(code, browser), userId, expiresAt: new Date(now.getTime() + CODE_MS) });
    return code;
  }

  /** The id of the user; undefined for a code that is unknown, old, was used, or is of another browser. Of two at once one gets it. */
  async redeemCode(code: string, browser: string): Promise<string | undefined> {
    const em = this.#em();
    const hash = codeDigest(code, browser);
    const found = await em.findOne(SamlCode, { hash, expiresAt: { $gt: this.clock.now() } });
    const isFirst = found !== null && (await em.nativeDelete(SamlCode, { hash })) === 1;
    return isFirst ? found.userId : undefined;
  }

  #em(): EntityManager {
    return this.orm.em.fork();
  }
}

/** Kept for one browser: whoever is sent a link with somebody else's code cannot be signed in as them. */
const codeDigest = (code: string, browser: string): string => secretDigest(`${code} ${browser}`);

async function unlessThere(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) return false;
    throw error;
  }
}
