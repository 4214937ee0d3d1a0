import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import type { Database, EntityManager, Orm, Rows } from '../../../kernel/database/database.ts';
import type { FileStore } from '../../../kernel/files/files.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { Sweeper } from '../../../kernel/records/due.ts';
import type { OrganizationData, OrganizationRows } from '../../../kernel/records/organization-data.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { DAY_MS, MINUTE_MS } from '../../../kernel/values/days.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { type DeletionPosition, Organization } from '../organizations/organization.entity.ts';
import type { OrganizationClosing } from './organization-closing.ts';
import type { PlatformAccesses } from './platform-access.ts';

const DUE = 'select "id" from "identity"."organization" where "deletion_due_at" <= $1 order by "deletion_due_at" limit 1';
/**
 * Duration of the lease with which a process deletes the records of an organization. If the process fails, another process can continue
 * after this time.
 */
const LEASE_MS = 5 * MINUTE_MS;
/** Time for which a process works on one organization before it saves its position. */
const STEP_MS = 20_000;
const PAGE = 500;
/**
 * Maximum number of passes over all tables. A request that is still running may insert rows into a table after a pass
 * has deleted its rows.
 */
const PASSES_MAX = 5;
const KEY_BYTES = 32;

export interface OrganizationDeletionParts {
  orm: Orm;
  rows: Rows;
  database: Database;
  clock: Clock;
  log: Logger;
  files: FileStore;
  organizationData: OrganizationData;
  trail: AuditTrail;
  feed: ChangeFeed;
  access: PlatformAccesses;
  closing: OrganizationClosing;
}

/**
 * Deletes the records of closed organizations when their grace period ends. The records are deleted page by page, so
 * that requests are not slowed down. If a process dies, another process continues at the stored position. Records that
 * must be kept are pseudonymized. The key of the pseudonyms is deleted at the end of the deletion.
 */
export class OrganizationDeletion {
  readonly #sweeper: Sweeper;
  #isStopping = false;

  constructor(private readonly parts: OrganizationDeletionParts) {
    const { clock, log, database } = parts;
    const name = 'identity.organization-deletion';
    this.#sweeper = new Sweeper({ name, clock, log, poller: database.poller, query: DUE, limit: 1 }, () => this.#sweep());
  }

  start(): void {
    this.#sweeper.start();
  }

  /** Stops the deletion. Resolves when the current page is deleted. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#sweeper.stop();
  }

  async #sweep(): Promise<number> {
    const { rows, clock, log } = this.parts;
    const [due] = await rows.query<{ id: string }>(DUE, [clock.now()]);
    if (!due) return 0;
    const organization = await this.#claim(due.id);
    if (!organization) return 1;
    try {
      if (organization.pseudonymKey || (await this.#begin(organization))) await this.#work(organization);
    } catch (error) {
      log.error({ err: error, organization: due.id }, 'the records of a closed organization could not be deleted; it will be tried again');
    }
    return 1;
  }

  /**
   * Leases a due organization by moving its due time to the end of the lease. Other processes skip the organization
   * until the lease ends.
   */
  #claim(id: string): Promise<Organization | null> {
    return this.#change(id, (organization, now) => {
      if (!organization.deletionDueAt || organization.deletionDueAt > now) return null;
      organization.deletionDueAt = new Date(now.getTime() + LEASE_MS);
      return organization;
    });
  }

  /**
   * Begins the deletion. If the organization has live services, its records are not deleted, an error is logged, and
   * the result is false.
   */
  async #begin(organization: Organization): Promise<boolean> {
    const { closing, log } = this.parts;
    const { id } = organization;
    const isUnused = await closing.isUnused(id);
    if (!isUnused)
      log.error({ organization: id }, 'a closed organization has live services or open provisioning requests: its records are not deleted');
    const begun = await this.#change(id, (found, now) => {
      // the organization was reopened while its services were checked
      if (!found.deletionDueAt) return null;
      if (isUnused) found.pseudonymKey = randomBytes(KEY_BYTES).toString('hex');
      else found.deletionDueAt = new Date(now.getTime() + DAY_MS);
      return found;
    });
    organization.pseudonymKey = begun?.pseudonymKey ?? null;
    return organization.pseudonymKey !== null;
  }

  async #work({ id, pseudonymKey, deletionPosition }: Organization): Promise<void> {
    const until = performance.now() + STEP_MS;
    let position: DeletionPosition | null = this.#continued(deletionPosition) ?? { pass: 1, table: 0, after: null, deleted: 0 };
    while (position && !this.#isStopping && performance.now() < until) position = await this.#next(id, pseudonymKey ?? '', position);
    if (!position) return this.#end(id);
    const stored = { ...position, name: this.#nameOf(position) };
    await this.#change(id, (organization, now) => Object.assign(organization, { deletionPosition: stored, deletionDueAt: now }));
  }

  /** Returns the position from which a deletion continues. A position of another release may be in a table with another key. */
  #continued(position: DeletionPosition | null): DeletionPosition | null {
    if (!position || position.name === this.#nameOf(position)) return position;
    return { ...position, table: 0, after: null };
  }

  #nameOf({ table }: DeletionPosition): string | undefined {
    return this.parts.organizationData.tables[table]?.name;
  }

  /** Deletes or pseudonymizes one page of one table. Returns the next position; null if all tables are done. */
  async #next(
    id: string,
    pseudonymKey: string,
    { pass, table: index, after, deleted }: DeletionPosition,
  ): Promise<DeletionPosition | null> {
    const table = this.parts.organizationData.tables[index];
    if (!table) return deleted > 0 && pass < PASSES_MAX ? { pass: pass + 1, table: 0, after: null, deleted: 0 } : null;
    const { rows, last } = await table.page(id, after, PAGE);
    if (!last) return { pass, table: index + 1, after: null, deleted };
    await this.#deleteFiles(table, rows);
    await table.end(id, { after, upTo: last }, pseudonymKey);
    return { pass, table: index, after: last, deleted: deleted + (table.statement.end === 'deleted' ? rows.length : 0) };
  }

  /**
   * Deletes the files of rows. Call it before the rows are deleted, because files are found only through their rows.
   */
  async #deleteFiles({ statement: { files } }: OrganizationRows, rows: readonly string[]): Promise<void> {
    if (!files) return;
    for (const key of rows.flatMap((row) => files(JSON.parse(row)))) await this.parts.files.delete(key);
  }

  async #end(id: string): Promise<void> {
    const { trail, access, log } = this.parts;
    const operator = await access.operator();
    await this.#change(id, async (organization, now, tx) => {
      organization.endDeletion(now);
      const eventType = 'organization_deleted';
      await trail.record({ eventType, organizationId: id, reason: 'after it was closed' }, tx);
      if (operator) await trail.record({ eventType, organizationId: operator.id, reason: `organization ${id}; after it was closed` }, tx);
    });
    log.info({ organization: id }, 'the records of a closed organization are deleted');
  }

  async #change<T>(id: string, act: (organization: Organization, now: Date, tx: EntityManager) => T | Promise<T>): Promise<T> {
    const { orm, clock, feed } = this.parts;
    const result = await orm.em.fork().transactional(async (tx) => {
      const organization = await tx.findOneOrFail(Organization, { id }, LOCKED);
      return act(organization, clock.now(), tx);
    });
    feed.changed(id);
    return result;
  }
}
