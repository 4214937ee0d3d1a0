import { LockMode } from '@mikro-orm/core';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { FileStore } from '../../../kernel/files/files.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import { type Retained, RetentionTask } from '../../../kernel/work/retention.ts';
import type { Actor } from '../tickets/ticket-change.entity.ts';
import type { Visibility } from '../visibility.ts';
import { Attachment, fileKeyOf } from './attachment.entity.ts';
import { type CheckedFile, checkFiles, type SentFile } from './attachment-intake.ts';
import { AttachmentUpload } from './attachment-upload.entity.ts';

/** A stored file that does not belong to a ticket or comment yet. */
export interface Upload extends Omit<CheckedFile, 'content'> {
  id: string;
  organizationId: string;
  size: number;
}

/** The ticket or comment that an upload is attached to. */
export interface Destination {
  ticketId: string;
  commentId: string | null;
  visibility: Visibility;
  actor: Pick<Actor, 'id'>;
  now: Date;
}

export interface AttachmentStoreDeps {
  orm: Orm;
  files: FileStore;
  clock: Clock;
  log: Logger;
}

const RETENTION_MS = 600_000;
const RETENTION_BATCH = 100;

/**
 * Stores the content of attachments in the file store, and their records in the database. A transaction of the database
 * does not include the file store. So an upload row is committed before the first byte is written. The transaction that
 * creates the attachment deletes the upload row. A file without an attachment therefore always has an upload row, even
 * after a crash, and the retention task deletes the file after an hour.
 */
export class AttachmentStore {
  readonly #retentionTask: RetentionTask;

  constructor(private readonly deps: AttachmentStoreDeps) {
    this.#retentionTask = new RetentionTask({ name: 'support.attachments', everyMs: RETENTION_MS, log: deps.log }, () => [this.retained]);
  }

  /**
   * Stores files, and then calls `act`, which must attach the files in its own transaction. If `act` fails, the files
   * are deleted, unless they are already attached.
   * @throws InvalidParameters if a file does not pass the checks
   */
  async holding<T>(
    organizationId: string,
    sent: readonly SentFile[] | null | undefined,
    act: (uploads: Upload[]) => Promise<T>,
  ): Promise<T> {
    if (!sent?.length) return act([]);
    const checked = await checkFiles(sent);
    const uploads = checked.map(({ content, ...file }) => ({ ...file, id: newId('attachment'), organizationId, size: content.length }));
    const createdAt = this.deps.clock.now();
    await this.#transaction((tx) =>
      tx.insertMany(
        AttachmentUpload,
        uploads.map(({ id }) => ({ id, organizationId, createdAt })),
      ),
    );
    try {
      await Promise.all(uploads.map((upload, index) => this.deps.files.put(fileKeyOf(upload), (checked[index] as CheckedFile).content)));
      return await act(uploads);
    } catch (error) {
      await this.#discard(uploads);
      throw error;
    }
  }

  /**
   * Creates attachments from uploads. Must be called in the transaction that stores the ticket or comment of the
   * attachments.
   */
  async attach(tx: EntityManager, uploads: readonly Upload[], { actor, now, ...destination }: Destination): Promise<Attachment[]> {
    if (uploads.length === 0) return [];
    const taken = await tx.nativeDelete(AttachmentUpload, { id: { $in: uploads.map(({ id }) => id) } });
    if (taken < uploads.length)
      throw new Error('The uploaded files were deleted before they were attached: the request took more than an hour.');
    return uploads.map((upload) => {
      const attachment = Object.assign(new Attachment(), upload, destination, { uploadedBy: actor.id, createdAt: now });
      tx.persist(attachment);
      return attachment;
    });
  }

  /**
   * Counts and deletes uploaded files that were not attached within an hour. Skips files that another process is
   * deleting.
   */
  readonly retained: Retained = {
    name: 'support.attachment_upload',
    count: () => this.deps.orm.em.fork().count(AttachmentUpload, this.#left(), EVERYWHERE),
    delete: async (stopping) => {
      let deleted = 0;
      for (let batch = RETENTION_BATCH; batch === RETENTION_BATCH && !stopping?.aborted; ) {
        batch = await this.#remove(this.#left());
        deleted += batch;
      }
      return deleted;
    },
  };

  #left(): { createdAt: { $lt: Date } } {
    return { createdAt: { $lt: new Date(this.deps.clock.now().getTime() - HOUR_MS) } };
  }

  start(): void {
    this.#retentionTask.start();
  }

  stop(): Promise<void> {
    return this.#retentionTask.stop();
  }

  /**
   * Deletes the files of a failed request that still have an upload row. A file without an upload row is kept, because
   * it is attached: the request failed only after the transaction that attached the file was committed.
   */
  async #discard(uploads: readonly Upload[]): Promise<void> {
    try {
      await this.#remove({ id: { $in: uploads.map(({ id }) => id) } });
    } catch (error) {
      this.deps.log.warn({ err: error }, 'the files of a failed change could not be deleted; the retention task deletes them later');
    }
  }

  async #remove(where: object): Promise<number> {
    return this.#transaction(async (tx) => {
      const uploads = await tx.find(AttachmentUpload, where, { limit: RETENTION_BATCH, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE });
      await Promise.all(uploads.map((upload) => this.deps.files.delete(fileKeyOf(upload))));
      await tx.nativeDelete(AttachmentUpload, { id: { $in: uploads.map(({ id }) => id) } });
      return uploads.length;
    });
  }

  #transaction<T>(act: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.deps.orm.em.fork().transactional(act);
  }
}
