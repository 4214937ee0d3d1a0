import type { Principal } from '../kernel/access/principal.ts';
import { PlatformError } from '../kernel/errors/errors.ts';
import { toPlatformError } from '../kernel/http/http.ts';
import type { Logger } from '../kernel/log/log.ts';
import type { RequestContext } from '../kernel/request.ts';
import { inTime } from '../kernel/work/in-time.ts';
import { Rounds } from './rounds.ts';

/** Maximum time for a check. So a check that never ends does not block a round forever. */
const READMIT_MS = 10_000;

/** A connection that stays open: a WebSocket or a stream of server-sent events. */
export interface OpenConnection<C> {
  /** Authenticates the connection again. Throws the same errors as at the opening of the connection. */
  readmit(): Promise<C>;
  /** Closes the connection because its credentials are no longer valid (401, 403). Called once. */
  end(error: PlatformError): void;
}

export interface CredentialWatchOptions {
  /**
   * Registers a listener for changes of credentials. The listener gets the id of a key, user, session, OAuth client,
   * trusted issuer or organization.
   * An empty id means that any credentials may have changed. Affected connections are checked immediately.
   */
  onCredentialChange?: ((listener: (subjectId: string) => void) => void) | undefined;
  /**
   * Interval at which all connections are checked, because no event reports that a token has expired. Default: 4 s, so
   * that a connection is closed within 5 s.
   */
  recheckMs?: number;
  log: Logger;
}

const RECHECK_MS = 4_000;

/**
 * Checks the credentials of all open connections of this process. It closes connections whose credentials are revoked
 * or expired, and applies reduced permissions.
 */
export class CredentialWatch<C extends RequestContext> {
  readonly #watched = new Set<Watched<C>>();
  readonly #everyone = new Rounds<Watched<C>>((watched) => watched.recheck());
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly options: CredentialWatchOptions) {
    this.#timer = setInterval(() => void this.#everyone.run(this.#watched), options.recheckMs ?? RECHECK_MS).unref();
    options.onCredentialChange?.((subjectId) => this.#recheckOf(subjectId));
  }

  /** Checks a connection repeatedly, until `leave` of the returned object is called. */
  watch(admitted: C, connection: OpenConnection<C>): Watched<C> {
    const watched: Watched<C> = new Watched(admitted, connection, this.options.log, () => this.#watched.delete(watched));
    this.#watched.add(watched);
    return watched;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /**
   * Checks the connections of one subject immediately, even while a periodic check of all connections is running. The
   * periodic check may have checked these connections before the change.
   */
  #recheckOf(subjectId: string): void {
    const affected = [...this.#watched].filter(({ admitted }) => isAbout(subjectId, admitted.principal));
    if (affected.length > 0) void new Rounds<Watched<C>>((watched) => watched.recheck()).run(affected);
  }
}

/** The caller behind an open connection, with its current permissions. */
export class Watched<C extends RequestContext> {
  #isOpen = true;
  /**
   * The last two principals that `narrowed` compared without finding a lost permission. They are stored because
   * `narrowed` mostly gets the same principals for the next event, and need not compare them again.
   */
  #sufficient: { now: Principal; begun: Principal } | undefined;

  constructor(
    /** The context from the last successful check. */
    public admitted: C,
    private readonly connection: OpenConnection<C>,
    private readonly log: Logger,
    private readonly onLeave: () => void,
  ) {}

  /** True until the credentials are rejected or the connection is closed. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Checks the credentials again. The promise never rejects: if the check itself fails, such as without a database, the connection
   * stays open with its current permissions.
   */
  async recheck(): Promise<void> {
    if (!this.#isOpen) return;
    try {
      this.admitted = await inTime(this.connection.readmit(), READMIT_MS, () => new Error(`No answer within ${READMIT_MS} ms`));
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

  /**
   * Returns an error if the caller has lost permissions since a subscription began. `begun` is the caller at the start
   * of the subscription. Call this method for each event.
   */
  narrowed(begun: Principal): PlatformError | undefined {
    const now = this.admitted.principal;
    if (now === begun || (this.#sufficient?.now === now && this.#sufficient.begun === begun)) return undefined;
    if (!holdsAll(now, begun)) {
      return new PlatformError('INSUFFICIENT_PERMISSIONS', 'You have lost permissions since this subscription began. Subscribe again.');
    }
    this.#sufficient = { now, begun };
    return undefined;
  }

  /** Ends the checks of this connection. Call this method when the connection is closed. */
  leave(): void {
    this.#isOpen = false;
    this.onLeave();
  }
}

/**
 * Returns true if a change of the credentials with the id `subjectId` can affect a principal. An empty id affects every
 * principal. The id of a trusted issuer affects the principals whose id is `<id of the issuer>:<subject>`.
 */
const isAbout = (subjectId: string, { id, sessionId, clientId, organizationId }: Principal): boolean =>
  subjectId === '' || [id, sessionId, clientId, organizationId].includes(subjectId) || id.startsWith(`${subjectId}:`);

const holdsAll = (now: Principal, before: Principal): boolean =>
  now.organizationId === before.organizationId && now.seesAllOf(before.accounts) && before.grants.every((grant) => now.mayGrant(grant));
