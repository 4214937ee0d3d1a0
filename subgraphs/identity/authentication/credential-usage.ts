import type { Orm } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';

const FLUSH_EVERY_MS = 3000;

interface Uses {
  count: number;
  lastUsed: Date;
}

/**
 * Counts the uses of API keys or certificates in memory and writes them every few seconds, so that a request costs no
 * write. If the process is killed, the counts that are not yet written are lost. No decision depends on these counts.
 */
export class CredentialUsage {
  #pending = new Map<string, Uses>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly orm: Orm,
    private readonly log: Logger,
    private readonly table: 'api_key' | 'certificate',
  ) {}

  count(id: string, at: Date): void {
    this.#add(id, 1, at);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  /** Writes the counts in one statement. If the write fails, the counts are kept and written with the next flush. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const uses = this.#pending;
    if (uses.size === 0) return;
    this.#pending = new Map();
    try {
      await this.#write(uses);
    } catch (error) {
      this.log.warn({ err: error }, 'The use of credentials could not be written; it is kept and tried again');
      for (const [id, { count, lastUsed }] of uses) this.#add(id, count, lastUsed);
    }
  }

  #add(id: string, count: number, lastUsed: Date): void {
    const uses = this.#pending.get(id);
    if (!uses) {
      this.#pending.set(id, { count, lastUsed });
      return;
    }
    uses.count += count;
    if (lastUsed > uses.lastUsed) uses.lastUsed = lastUsed;
  }

  async #write(uses: ReadonlyMap<string, Uses>): Promise<void> {
    const { schema } = this.orm.config.getAll();
    const rows = [...uses].map(([id, { count, lastUsed }]) => ({ id, count, last_used: lastUsed }));
    await this.orm.em.getConnection().execute(
      `update "${schema}"."${this.table}" k set "usage_count" = k."usage_count" + u.count, "last_used" = greatest(k."last_used", u.last_used)
       from jsonb_to_recordset(?::jsonb) as u(id text, count bigint, last_used timestamptz) where k."id" = u.id`,
      [JSON.stringify(rows)],
      'run',
    );
  }
}
