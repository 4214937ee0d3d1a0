import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { ClientInfo, RequestContext } from '../../../kernel/request.ts';

/** What happened, as whoever saw it states it. What is left out is null. */
export interface AuditEntry {
  eventType: string;
  organizationId?: string | null | undefined;
  userId?: string | null | undefined;
  clientId?: string | null | undefined;
  client?: ClientInfo | undefined;
  authenticationMethod?: string | null | undefined;
  tokenType?: string | null | undefined;
  scopes?: readonly string[] | undefined;
  sessionId?: string | null | undefined;
  reason?: string | null | undefined;
}

/** Who did it, in a reason. */
export const byCaller = ({ kind, id }: Principal): string => `by ${kind} ${id}`;

const FLUSH_EVERY_MS = 1000;
const MAX_PENDING = 10_000;
const USER_AGENT_MAX = 500;

/** Writes audit records (specification 5.9). Never give it a secret: what it is given is kept for ever. */
export class AuditTrail {
  #pending: Row[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** At once; with a transaction, in it: the record stands if, and only if, what it tells of was done. */
  async record(entry: AuditEntry, tx?: EntityManager): Promise<void> {
    await this.#write([this.#rowOf(entry)], tx);
  }

  /** What the caller of a request did. What the entry says itself, null too, stands in place of what is known of the caller. */
  recordBy({ principal, client }: RequestContext, entry: AuditEntry, tx: EntityManager): Promise<void> {
    const { organizationId, kind, id, clientId } = principal;
    const caller = kind === 'user' ? { userId: id, clientId } : { clientId: id };
    return this.record({ organizationId, ...caller, client, reason: byCaller(principal), ...entry }, tx);
  }

  /** Within a second, together with others: for what happens with every request, which must cost no write. */
  note(entry: AuditEntry): void {
    if (this.#pending.length >= MAX_PENDING) return;
    this.#pending.push(this.#rowOf(entry));
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  /** Writes what was noted; what cannot be written now is kept for the next time. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#flushPending());
    return this.#writing;
  }

  async #flushPending(): Promise<void> {
    const rows = this.#pending;
    if (rows.length === 0) return;
    this.#pending = [];
    try {
      await this.#write(rows);
    } catch (error) {
      this.log.warn({ err: error }, 'Audit records could not be written; they are kept and tried again');
      this.#pending = [...rows, ...this.#pending];
      this.#timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS).unref();
    }
  }

  #rowOf({ client, scopes = [], ...entry }: AuditEntry): Row {
    return {
      id: newId('auditRecord'),
      organization_id: entry.organizationId,
      timestamp: this.clock.now(),
      event_type: entry.eventType,
      user_id: entry.userId,
      client_id: entry.clientId,
      ip_address: client?.ip,
      user_agent: client?.userAgent?.slice(0, USER_AGENT_MAX),
      authentication_method: entry.authenticationMethod,
      token_type: entry.tokenType,
      scopes,
      session_id: entry.sessionId,
      reason: entry.reason,
    };
  }

  async #write(rows: readonly Row[], tx?: EntityManager): Promise<void> {
    const { schema } = this.orm.config.getAll();
    const em = tx ?? this.orm.em;
    await em
      .getConnection()
      .execute(
        `insert into "${schema}"."audit_record" (${COLUMNS}) select ${COLUMNS} from jsonb_to_recordset(?::jsonb) as r(${TYPED})`,
        [JSON.stringify(rows, storable)],
        'run',
        tx?.getTransactionContext(),
      );
  }
}

/**
 * Whatever a caller has sent, even who never showed who they are, may stand in a record: one that the database refuses would be kept
 * and tried again with all others, for ever. It takes no null character and no half of one.
 */
const storable = (_: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : value);

type Row = Record<string, unknown>;

const TYPES = {
  id: 'text',
  organization_id: 'text',
  timestamp: 'timestamptz',
  event_type: 'text',
  user_id: 'text',
  client_id: 'text',
  ip_address: 'text',
  user_agent: 'text',
  authentication_method: 'text',
  token_type: 'text',
  scopes: 'jsonb',
  session_id: 'text',
  reason: 'text',
};
const COLUMNS = Object.keys(TYPES)
  .map((name) => `"${name}"`)
  .join(', ');
const TYPED = Object.entries(TYPES)
  .map(([name, type]) => `"${name}" ${type}`)
  .join(', ');
