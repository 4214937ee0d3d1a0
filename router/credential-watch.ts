import type { Principal } from '../kernel/access/principal.ts';
import { PlatformError } from '../kernel/errors/errors.ts';
import { toPlatformError } from '../kernel/http/http.ts';
import type { Logger } from '../kernel/log/log.ts';
import type { RequestContext } from '../kernel/request.ts';
import { inTime, Rounds } from './rounds.ts';

/** A connection that stays open: a WebSocket or a stream of server-sent events. */
export interface OpenConnection<C> {
  /** Checks the credentials again. Throws like the first admission. */
  readmit(): Promise<C>;
  /** Closes the connection because its credentials are no longer valid (401, 403). Called once. */
  end(error: PlatformError): void;
}

export interface CredentialWatchOptions {
  /**
   * Registers a listener for credential changes, by id of a key, user, session or organization (empty: anything may have changed).
   * Affected connections are checked at once.
   */
  onCredentialChange?: ((listener: (subjectId: string) => void) => void) | undefined;
  /**
   * Interval at which all connections are checked, because tokens expire without an event. Default: 4 s, so that an expiry takes effect
   * within 5 s.
   */
  recheckMs?: number;
  log: Logger;
}

const RECHECK_MS = 4_000;

/**
 * Watches the credentials of open connections; one per process. It closes connections with revoked or expired credentials, and applies
 * reduced permissions.
 */
export class CredentialWatch<C extends RequestContext> {
  readonly #watched = new Set<Watched<C>>();
  readonly #everyone = new Rounds<Watched<C>>((watched) => watched.recheck());
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly options: CredentialWatchOptions) {
    this.#timer = setInterval(() => void this.#everyone.run(this.#watched), options.recheckMs ?? RECHECK_MS).unref();
    options.onCredentialChange?.((subjectId) => this.#recheckOf(subjectId));
  }

  /** Watches a connection until it leaves. */
  watch(admitted: C, connection: OpenConnection<C>): Watched<C> {
    const watched: Watched<C> = new Watched(admitted, connection, this.options.log, () => this.#watched.delete(watched));
    this.#watched.add(watched);
    return watched;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Checks the affected connections separately from the round over all, which may have passed them already. */
  #recheckOf(subjectId: string): void {
    const affected = [...this.#watched].filter(({ admitted }) => isAbout(subjectId, admitted.principal));
    if (affected.length > 0) void new Rounds<Watched<C>>((watched) => watched.recheck()).run(affected);
  }
}

/** The holder of an open connection. */
export class Watched<C extends RequestContext> {
  #isOpen = true;
  /** Cache of the last comparison that found the permissions sufficient. The objects are mostly the same for successive events. */
  #sufficient: { now: Principal; begun: Principal } | undefined;

  constructor(
    /** The result of the last check. */
    public admitted: C,
    private readonly connection: OpenConnection<C>,
    private readonly log: Logger,
    private readonly onLeave: () => void,
  ) {}

  /** False after the credentials were refused or the connection was closed. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Never rejects. If the check itself fails, nothing is known about the credentials, and nothing changes. */
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

  /** Returns an error if the caller has lost permissions since the subscription began. Call it for each event. */
  narrowed(begun: Principal): PlatformError | undefined {
    const now = this.admitted.principal;
    if (now === begun || (this.#sufficient?.now === now && this.#sufficient.begun === begun)) return undefined;
    if (!holdsAll(now, begun)) {
      return new PlatformError('INSUFFICIENT_PERMISSIONS', 'You have lost permissions since this subscription began. Subscribe again.');
    }
    this.#sufficient = { now, begun };
    return undefined;
  }

  /** Stops watching after the connection was closed. */
  leave(): void {
    this.#isOpen = false;
    this.onLeave();
  }
}

const isAbout = (subjectId: string, { id, sessionId, clientId, organizationId }: Principal): boolean =>
  subjectId === '' || [id, sessionId, clientId, organizationId].includes(subjectId);

const holdsAll = (now: Principal, before: Principal): boolean =>
  now.organizationId === before.organizationId && now.seesAllOf(before.accounts) && before.grants.every((grant) => now.mayGrant(grant));
