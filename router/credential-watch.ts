import type { Principal } from '../kernel/access/principal.ts';
import { PlatformError } from '../kernel/errors/errors.ts';
import { toPlatformError } from '../kernel/http/http.ts';
import type { Logger } from '../kernel/log/log.ts';
import type { RequestContext } from '../kernel/request.ts';
import { inTime, Rounds } from './rounds.ts';

/** A connection that stays open: a WebSocket, a stream of server-sent events. */
export interface OpenConnection<C> {
  /** Admits its credentials again. Throws as admitting does. */
  readmit(): Promise<C>;
  /** Closes it: its credentials do not hold any more (401, 403). Called once. */
  end(error: PlatformError): void;
}

export interface CredentialWatchOptions {
  /**
   * Tells of changes of what credentials are made of, by id (of a key, user, session, organization; empty: anything). Whoever
   * came with them is checked again at once.
   */
  onCredentialChange?: ((listener: (subjectId: string) => void) => void) | undefined;
  /** How often everyone is checked in any case: tokens run out by themselves. Default 4 s, so that it counts within 5 s. */
  recheckMs?: number;
  log: Logger;
}

const RECHECK_MS = 4_000;

/**
 * Watches the credentials of those who hold a connection open, one for the process. What was revoked or ran out ends the
 * connection; who may do less than before does less.
 */
export class CredentialWatch<C extends RequestContext> {
  readonly #watched = new Set<Watched<C>>();
  readonly #everyone = new Rounds<Watched<C>>((watched) => watched.recheck());
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly options: CredentialWatchOptions) {
    this.#timer = setInterval(() => void this.#everyone.run(this.#watched), options.recheckMs ?? RECHECK_MS).unref();
    options.onCredentialChange?.((subjectId) => this.#recheckOf(subjectId));
  }

  /** From now until it is left. */
  watch(admitted: C, connection: OpenConnection<C>): Watched<C> {
    const watched: Watched<C> = new Watched(admitted, connection, this.options.log, () => this.#watched.delete(watched));
    this.#watched.add(watched);
    return watched;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Beside the round over everyone, which may have passed by them. */
  #recheckOf(subjectId: string): void {
    const affected = [...this.#watched].filter(({ admitted }) => isAbout(subjectId, admitted.principal));
    if (affected.length > 0) void new Rounds<Watched<C>>((watched) => watched.recheck()).run(affected);
  }
}

/** Who holds one connection open. */
export class Watched<C extends RequestContext> {
  #isOpen = true;
  /** Who was last found to hold all that a subscription was begun with: mostly the same object, event after event. */
  #sufficient: { now: Principal; begun: Principal } | undefined;

  constructor(
    /** As the last check left it. */
    public admitted: C,
    private readonly connection: OpenConnection<C>,
    private readonly log: Logger,
    private readonly onLeave: () => void,
  ) {}

  /** False once its credentials were refused, or it has left. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Never rejects: that the check itself fails says nothing of the credentials, and changes nothing. */
  async recheck(): Promise<void> {
    if (!this.#isOpen) return;
    try {
      this.admitted = await inTime(this.connection.readmit());
    } catch (error) {
      const known = toPlatformError(error);
      const isRefused = known.status === 401 || known.status === 403;
      if (!isRefused) this.log.warn({ err: error }, 'The credentials of an open connection could not be checked again');
      else if (this.#isOpen) {
        this.leave();
        this.connection.end(known);
      }
    }
  }

  /** Why what was begun with these rights may not go on: some of them were taken since. To be asked for each event. */
  narrowed(begun: Principal): PlatformError | undefined {
    const now = this.admitted.principal;
    if (now === begun || (this.#sufficient?.now === now && this.#sufficient.begun === begun)) return undefined;
    if (!holdsAll(now, begun)) {
      return new PlatformError('INSUFFICIENT_PERMISSIONS', 'Permissions were taken since this subscription began. Subscribe again.');
    }
    this.#sufficient = { now, begun };
    return undefined;
  }

  /** The connection is closed. */
  leave(): void {
    this.#isOpen = false;
    this.onLeave();
  }
}

const isAbout = (subjectId: string, { id, sessionId, clientId, organizationId }: Principal): boolean =>
  subjectId === '' || [id, sessionId, clientId, organizationId].includes(subjectId);

const holdsAll = (now: Principal, before: Principal): boolean =>
  now.organizationId === before.organizationId && now.seesAllOf(before.accounts) && before.grants.every((grant) => now.mayGrant(grant));
