import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { CacheProvider } from '@node-saml/node-saml';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { newSecret, secretDigest } from '../tokens/secret.ts';
import { SamlAssertion, SamlCode, SamlRequest } from './saml-records.entity.ts';

/** Lifetime of a request: long enough for a user who must look up a password for the identity provider. */
const REQUEST_MS = 15 * 60_000;
const CODE_MS = 60_000;

/** Stores the state of sign-ins in the database, since different processes may handle the steps of a sign-in. */
export class SamlStore {
  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
  ) {}

  /** Stores a request. Returns false if its id is already stored. `browser` is the value of the browser-binding cookie. */
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

  /**
   * Returns the cache in which node-saml stores the requests of a connection. `begun` is called for each new request.
   */
  cacheOf(connectionId: string, begun?: (id: string) => Promise<unknown>): CacheProvider {
    return {
      saveAsync: async (id, value) => {
        await begun?.(id);
        return { value, createdAt: Date.now() };
      },
      // node-saml compares the returned time with the machine's clock, so it gets the current time: `request` has
      // already checked the expiry by the platform's clock
      getAsync: async (id) => ((await this.request(id))?.connectionId === connectionId ? new Date().toISOString() : null),
      removeAsync: async (id) => {
        if (id) await this.#em().nativeDelete(SamlRequest, { id, connectionId });
        return id;
      },
    };
  }

  /** Marks an assertion as used. Returns false if the assertion was used before. */
  async spendAssertion(connectionId: string, assertionId: string, expiresAt: Date): Promise<boolean> {
    const em = this.#em();
    await em.nativeDelete(SamlAssertion, { expiresAt: { $lte: this.clock.now() } });
    return unlessThere(() => em.insert(SamlAssertion, { hash: secretDigest(`${connectionId} ${assertionId}`), expiresAt }));
  }

  /**
   * Issues a one-time code for a user. The code is valid for one minute, only with the cookie value `browser`.
   */
  async issueCode(userId: string, browser: string): Promise<string> {
    const now = this.clock.now();
    const em = this.#em();
    const code = newSecret('samlc_');
    await em.nativeDelete(SamlCode, { expiresAt: { $lte: now } });
    await em.insert(SamlCode, { hash: codeDigest(code, browser), userId, expiresAt: new Date(now.getTime() + CODE_MS) });
    return code;
  }

  /**
   * Redeems a code and returns the id of its user. Returns undefined if the code is unknown, expired or used, or was
   * issued to another browser. If the same code is redeemed twice at the same time, only one attempt succeeds.
   */
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

/** Binds a code to one browser. So a link with an attacker's code cannot sign a user in as the attacker. */
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
