import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { ClientInfo, RequestContext } from '../../../kernel/request.ts';

/** An event to record in the audit trail. Fields that are left out are null. */
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

/** Describes the caller for the `reason` of an audit record. */
export const byCaller = ({ kind, id }: Principal): string => `by ${kind} ${id}`;

const FLUSH_EVERY_MS = 1000;
const MAX_PENDING = 10_000;
const USER_AGENT_MAX = 500;

/** Writes audit records (specification 5.9). Never pass a secret: records are not redacted. */
export class AuditTrail {
  #pending: Row[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /**
   * Writes a record immediately. If `tx` is given, the record is committed or rolled back together with the change that
   * it reports.
   */
  async record(entry: AuditEntry, tx?: EntityManager): Promise<void> {
    await this.#write([this.#rowOf(entry)], tx);
  }

  /**
   * Records an action of the caller of a request. Fields of `entry`, including null fields, override the values of the
   * request.
   */
  recordBy({ principal, client }: RequestContext, entry: AuditEntry, tx: EntityManager): Promise<void> {
    const { organizationId, kind, id, clientId } = principal;
    const caller = kind === 'user' ? { userId: id, clientId } : { clientId: id };
    return this.record({ organizationId, ...caller, client, reason: byCaller(principal), ...entry }, tx);
  }

  /**
   * Queues a record. Use this method for events that any request can cause, so that a flood of requests does not cause a flood of writes.
   * Queued records are written together within a second. If MAX_PENDING records are queued, further records are dropped.
   */
  note(entry: AuditEntry): void {
    if (this.#pending.length >= MAX_PENDING) return;
    this.#pending.push(this.#rowOf(entry));
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  /** Writes the queued records. If the write fails, the records are kept and written with the next flush. */
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
 * Replacer for JSON that makes text storable in PostgreSQL, which accepts neither null characters nor unpaired surrogates. Records contain
 * text from unauthenticated callers. Queued records are retried together, so one record that the database rejects would block all queued
 * records.
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
