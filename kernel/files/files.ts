import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';

/** A file that is read: how many bytes will come, and the bytes. */
export interface OpenFile {
  size: number;
  stream: Readable;
}

/**
 * Where contents lie that are too large for the database. Keys are the platform's own (`attachments/att_01…`), never a name that
 * a caller chose.
 */
export interface FileStore {
  /** Kept when it returns; what was there under this key is replaced as a whole. */
  put(key: string, content: Buffer): Promise<void>;
  /** Undefined where there is none. Who opens a file reads its stream to the end or destroys it. */
  open(key: string): Promise<OpenFile | undefined>;
  /** Where there is none, nothing happens. */
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

const KEY = /^[\w-]+(\/[\w.-]+)+$/;

/** In a folder: for one machine, or a folder that several share. */
export class FolderFiles implements FileStore {
  constructor(private readonly folder: string) {}

  /** Written beside its place, made durable, and then moved there: a crash leaves the whole file or none. */
  async put(key: string, content: Buffer): Promise<void> {
    const path = this.#pathOf(key);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}.part`;
    try {
      await writeFile(draft, content, { mode: 0o600, flush: true });
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async open(key: string): Promise<OpenFile | undefined> {
    try {
      const handle = await open(this.#pathOf(key));
      const { size } = await handle.stat();
      return { size, stream: handle.createReadStream() };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  async close(): Promise<void> {
    // holds nothing open
  }

  #pathOf(key: string): string {
    if (!KEY.test(key) || key.includes('..')) throw new Error(`${key} is no key of a file.`);
    return join(this.folder, key);
  }
}
