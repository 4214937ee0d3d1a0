import { LockMode } from '@mikro-orm/core';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { FileStore } from '../../../kernel/files/files.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE } from '../../../kernel/records/organization.filter.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import { type Retained, RetentionTask } from '../../../kernel/work/retention.ts';
import type { Actor } from '../tickets/ticket-change.entity.ts';
import type { Visibility } from '../visibility.ts';
import { Attachment, fileKeyOf } from './attachment.entity.ts';
import { type CheckedFile, checkFiles, type SentFile } from './attachment.intake.ts';
import { AttachmentUpload } from './attachment-upload.entity.ts';

/** A file whose bytes are stored, and which nobody has yet. */
export interface Upload extends Omit<CheckedFile, 'content'> {
  id: string;
  organizationId: string;
  size: number;
}

/** What an upload becomes a part of. */
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

const SWEEP_MS = 600_000;
const SWEEP_BATCH = 100;

/**
 * Keeps bytes in the file store and records in the database, which share no transaction: a note is committed before the first
 * byte is written, and taken back by the transaction that makes the attachment. So a file without a record has a note, whatever
 * failed and wherever a process died, and the sweep of files that nobody took within an hour finds it.
 */
export class AttachmentStore {
  readonly #retentionTask: RetentionTask;

  constructor(private readonly deps: AttachmentStoreDeps) {
    this.#retentionTask = new RetentionTask({ name: 'support.attachments', everyMs: SWEEP_MS, log: deps.log }, () => [this.retained]);
  }

  /** Stores what was sent while `act` makes use of it in a transaction of its own; if that fails, nothing stays. @throws InvalidParameters */
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

  /** Makes attachments of uploads, in the transaction of what they belong to. */
  async attach(tx: EntityManager, uploads: readonly Upload[], { actor, now, ...destination }: Destination): Promise<Attachment[]> {
    if (uploads.length === 0) return [];
    const taken = await tx.nativeDelete(AttachmentUpload, { id: { $in: uploads.map(({ id }) => id) } });
    if (taken < uploads.length) throw new Error('The files were swept away before their transaction: it took too long.');
    return uploads.map((upload) => {
      const attachment = Object.assign(new Attachment(), upload, destination, { uploadedBy: actor.id, createdAt: now });
      tx.persist(attachment);
      return attachment;
    });
  }

  /** Files that nobody took within an hour. What another process is deleting is left to it. */
  readonly retained: Retained = {
    name: 'support.attachment_upload',
    count: () => this.deps.orm.em.fork().count(AttachmentUpload, this.#left(), EVERYWHERE),
    delete: async (stopping) => {
      let deleted = 0;
      for (let batch = SWEEP_BATCH; batch === SWEEP_BATCH && !stopping?.aborted; ) {
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

  /** Of a transaction whose end is not known the notes are: where they are gone it was committed, and the files stay. */
  async #discard(uploads: readonly Upload[]): Promise<void> {
    try {
      await this.#remove({ id: { $in: uploads.map(({ id }) => id) } });
    } catch (error) {
      this.deps.log.warn({ err: error }, 'files of a change that failed are left to the sweep');
    }
  }

  async #remove(where: object): Promise<number> {
    return this.#transaction(async (tx) => {
      const notes = await tx.find(AttachmentUpload, where, { limit: SWEEP_BATCH, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE });
      await Promise.all(notes.map((note) => this.deps.files.delete(fileKeyOf(note))));
      await tx.nativeDelete(AttachmentUpload, { id: { $in: notes.map(({ id }) => id) } });
      return notes.length;
    });
  }

  #transaction<T>(act: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.deps.orm.em.fork().transactional(act);
  }
}
