import { PGlite } from '@electric-sql/pglite';
import { EXTENSIONS } from './extensions.ts';
import { embeddedSession, type Session } from './session.ts';

/**
 * An empty in-memory database, which is opened on first use. Migration steps are applied to it, and the result is
 * compared with a real database.
 */
export class Scratch implements AsyncDisposable {
  #opening: Promise<PGlite> | undefined;

  async session(): Promise<Session> {
    this.#opening ??= PGlite.create({ extensions: EXTENSIONS });
    return embeddedSession(await this.#opening);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#opening)?.close();
  }
}
