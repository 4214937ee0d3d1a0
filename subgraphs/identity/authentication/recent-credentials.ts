import { hash } from 'node:crypto';

const MAX = 20_000;

/**
 * Digests of the last 20,000 credentials that were valid when they were last used. The digests grant no access. They
 * only help to distinguish a customer from somebody who tries keys from the same address.
 */
export class RecentCredentials {
  readonly #digests = new Set<string>();

  has(text: string): boolean {
    return this.#digests.has(digestOf(text));
  }

  add(text: string): void {
    const digest = digestOf(text);
    if (this.#digests.has(digest)) return;
    if (this.#digests.size >= MAX) this.#digests.delete(this.#digests.keys().next().value ?? '');
    this.#digests.add(digest);
  }

  delete(text: string): void {
    this.#digests.delete(digestOf(text));
  }
}

const digestOf = (text: string): string => hash('sha256', text, 'base64url');
