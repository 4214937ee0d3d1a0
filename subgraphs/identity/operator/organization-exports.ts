import { Readable } from 'node:stream';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { FileStore } from '../../../kernel/files/files.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { OrganizationArchive } from '../../../kernel/records/organization-archive.ts';
import type { OrganizationData } from '../../../kernel/records/organization-data.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { DAY_MS, HOUR_MS } from '../../../kernel/values/days.ts';
import { EXPORT_DAYS, type Organization } from '../organizations/organization.entity.ts';
import { OrganizationExport, OrganizationExportStatus, partKeyOf, partKeysOf } from './organization-export.entity.ts';

const WRITING = 'identity.organization-export';
const REMOVAL = 'identity.organization-export-removal';
/** Maximum attempts to write one part of an archive. With the delays between them, ten attempts take about half an hour. */
const ATTEMPTS_MAX = 10;
const GIVEN_UP = `A part of the archive could not be written in ${ATTEMPTS_MAX} attempts; the platform's log says why. Request the export again.`;
/**
 * Retry settings of the export jobs. The queue allows more retries than ATTEMPTS_MAX, so that this class marks the export as failed before
 * the queue drops the job.
 */
const RETRIES = { retryLimit: 2 * ATTEMPTS_MAX, retryDelaySeconds: 5, retryDelayMaxSeconds: 600, concurrency: 1 };
/**
 * Time without a written part after which the job of an export is considered lost, so that another export can be
 * requested. ATTEMPTS_MAX attempts to write a part take less time.
 */
const STUCK_MS = HOUR_MS;

interface ExportJob {
  exportId: string;
}

interface RemovalJob extends ExportJob {
  /** True to delete the files but keep the export's record, so that the operator can see why the export failed. */
  filesOnly?: boolean;
}

/** 409: an export of the organization is still being written. */
export class ExportRunning extends PlatformError {
  constructor({ id }: OrganizationExport) {
    super('INVALID_STATE', 'An export of this organization is being written. Wait until it is ready.', { export_id: id });
  }
}

export interface OrganizationExportsParts {
  orm: Orm;
  clock: Clock;
  jobs: Jobs;
  files: FileStore;
  log: Logger;
  organizationData: OrganizationData;
}

/** Exports organizations as archives. Each part is written by a job, which enqueues the job for the next part. */
export class OrganizationExports {
  readonly #archive: OrganizationArchive;

  constructor(private readonly parts: OrganizationExportsParts) {
    const { organizationData, files, log, jobs } = parts;
    this.#archive = new OrganizationArchive(organizationData, files, log);
    jobs.define<ExportJob>(WRITING, ({ exportId }) => this.#write(exportId), RETRIES);
    jobs.define<RemovalJob>(REMOVAL, (job) => this.#remove(job), RETRIES);
  }

  /** Returns the newest export of an organization. */
  async newestOf(organizationId: string, tx: EntityManager = this.parts.orm.em.fork()): Promise<OrganizationExport | null> {
    const [newest = null] = await tx.find(OrganizationExport, { organizationId }, { orderBy: { createdAt: 'desc', id: 'desc' }, limit: 1 });
    return newest;
  }

  /**
   * Begins an export and deletes the previous export. Call it in the transaction that has locked the organization.
   * @throws ExportRunning, RecordsDeleted
   */
  async begin(tx: EntityManager, organization: Organization): Promise<OrganizationExport> {
    organization.requireRecords();
    const { id: organizationId, deleteAfter } = organization;
    const { clock, jobs } = this.parts;
    const now = clock.now();
    const last = await this.newestOf(organizationId, tx);
    if (last?.status === OrganizationExportStatus.WRITING && last.updatedAt.getTime() > now.getTime() - STUCK_MS)
      throw new ExportRunning(last);
    if (last) await jobs.enqueue(tx, REMOVAL, { exportId: last.id } satisfies RemovalJob);
    const expiresAt = new Date(Math.min(now.getTime() + EXPORT_DAYS * DAY_MS, deleteAfter?.getTime() ?? Number.POSITIVE_INFINITY));
    const id = newId('organizationExport');
    const begun = Object.assign(new OrganizationExport(), { id, organizationId, createdAt: now, updatedAt: now, expiresAt });
    await tx.persist(begun).flush();
    await jobs.enqueue(tx, WRITING, { exportId: id } satisfies ExportJob);
    await jobs.enqueue(tx, REMOVAL, { exportId: id } satisfies RemovalJob, { startAfter: expiresAt });
    return begun;
  }

  /** Streams the archive by concatenating its parts. */
  contentOf(one: OrganizationExport): Readable {
    const { files } = this.parts;
    return Readable.from(
      (async function* () {
        for (let number = 1; number <= one.parts; number += 1) {
          const key = partKeyOf(one, number);
          const file = await files.open(key);
          if (!file) throw new Error(`${key} is missing in the file store.`);
          yield* file.stream;
        }
      })(),
      { objectMode: false },
    );
  }

  /**
   * Writes a part. Counts the attempt before the part is written, so that an attempt also counts if the process dies.
   */
  async #write(id: string): Promise<void> {
    const begun = await this.#change(id, async (found, tx) => {
      if (found.attempts >= ATTEMPTS_MAX) await this.#giveUp(found, tx);
      else found.attempts += 1;
    });
    if (begun?.status !== OrganizationExportStatus.WRITING) return;
    try {
      await this.#writePart(begun);
    } catch (error) {
      if (begun.attempts < ATTEMPTS_MAX) throw error;
      const { organizationId } = begun;
      this.parts.log.error({ err: error, export: id, organization: organizationId }, 'the export of an organization was given up');
      await this.#change(id, (found, tx) => this.#giveUp(found, tx));
    }
  }

  /**
   * Marks the export as failed and deletes its files, since they contain the organization's data and cannot be used any
   * more.
   */
  async #giveUp(found: OrganizationExport, tx: EntityManager): Promise<void> {
    found.fail(GIVEN_UP);
    await this.parts.jobs.enqueue(tx, REMOVAL, { exportId: found.id, filesOnly: true } satisfies RemovalJob);
  }

  /**
   * Writes the next part and records it. If a process died before it recorded a part, the part is written again and
   * replaces the file of the first attempt.
   */
  async #writePart(begun: OrganizationExport): Promise<void> {
    const { clock, files, jobs } = this.parts;
    const { id, organizationId, position: from, counts: before, createdAt } = begun;
    const number = begun.parts + 1;
    const { content, counts, next } = await this.#archive.part({
      organizationId,
      from,
      number,
      now: clock.now(),
      manifest: (last) => ({ organization_id: organizationId, export_id: id, begun_at: createdAt, records: sum(before, last) }),
    });
    await files.put(partKeyOf(begun, number), content);
    await this.#change(id, async (found, tx) => {
      if (found.parts !== number - 1) return;
      const now = clock.now();
      const [total, bytes] = [sum(before, counts), found.bytes + content.length];
      Object.assign(found, { parts: number, counts: total, bytes, position: next, attempts: 0, updatedAt: now });
      if (next) await jobs.enqueue(tx, WRITING, { exportId: id } satisfies ExportJob);
      else Object.assign(found, { status: OrganizationExportStatus.READY, completedAt: now });
    });
  }

  /**
   * Locks an export and changes it, only if its status is `writing`. Returns null if the export has another status or
   * was deleted.
   */
  #change(id: string, act: (found: OrganizationExport, tx: EntityManager) => void | Promise<void>): Promise<OrganizationExport | null> {
    return this.parts.orm.em.fork().transactional(async (tx) => {
      const found = await tx.findOne(OrganizationExport, { id, status: OrganizationExportStatus.WRITING }, LOCKED);
      if (found) await act(found, tx);
      return found;
    });
  }

  /** Deletes the files before the record. So a retry of the job still finds the files that it must delete. */
  async #remove({ exportId: id, filesOnly }: RemovalJob): Promise<void> {
    const { orm, files } = this.parts;
    const em = orm.em.fork();
    const found = await em.findOne(OrganizationExport, { id });
    if (!found) return;
    for (const key of partKeysOf(found)) await files.delete(key);
    if (!filesOnly) await em.nativeDelete(OrganizationExport, { id });
  }
}

function sum(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>): Record<string, number> {
  const total = { ...one };
  for (const [table, count] of Object.entries(other)) total[table] = (total[table] ?? 0) + count;
  return total;
}
