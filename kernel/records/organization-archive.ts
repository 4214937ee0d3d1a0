import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FileStore } from '../files/files.ts';
import { TAR_END, tarEntry } from '../files/tar.ts';
import type { Logger } from '../log/log.ts';
import type { OrganizationData, OrganizationRows, RowKey } from './organization-data.ts';

/**
 * Maximum size of a part of an archive before compression, in bytes, to limit the memory use. A part may exceed the
 * maximum by one file.
 */
const PART_BYTES = 8 * 1024 * 1024;
/**
 * Time after which a part gets no more rows. It is much shorter than the time after which the job that writes the part
 * expires.
 */
const PART_MS = 20_000;
const PAGE = 200;
/** Number of rows to read at a time from a table whose rows have files. Files may be large. */
const PAGE_WITH_FILES = 1;

/**
 * The position where the next part begins, in the table `table`. `after` is the key of the last row of this table that
 * is already in the archive; null if there is none.
 */
export interface ArchivePosition {
  table: string;
  after: RowKey | null;
}

export interface ArchivePart {
  content: Buffer;
  /** Number of records per table in this part. */
  counts: Record<string, number>;
  /** Position of the next part; null if this was the last part. */
  next: ArchivePosition | null;
}

export interface PartRequest {
  organizationId: string;
  /** Position where the part begins; null for the first part. */
  from: ArchivePosition | null;
  /** Number of the part, starting at one. The file names contain it. */
  number: number;
  now: Date;
  /**
   * Creates the content of the manifest, the last file of the archive. `counts` are the numbers of records in the last
   * part only.
   */
  manifest(counts: Readonly<Record<string, number>>): object;
}

const compressed = promisify(gzip);

/**
 * Writes the records of an organization as an archive, with a JSON Lines file per table, and with the files of the
 * records.
 * The archive is written in parts, so that memory use is limited and another process can continue after a crash. Each
 * part is compressed separately. The concatenated parts are one `.tar.gz` file (RFC 1952, 2.2).
 */
export class OrganizationArchive {
  constructor(
    private readonly data: OrganizationData,
    private readonly files: FileStore,
    private readonly log: Logger,
  ) {}

  async part(request: PartRequest): Promise<ArchivePart> {
    const part = new Part(request);
    const next = await this.#fill(part, request);
    const last = next ? [] : [entryOf('manifest.json', request.manifest(part.counts), request.now), TAR_END];
    return { content: await compressed(Buffer.concat([...part.entries, ...last])), counts: part.counts, next };
  }

  async #fill(part: Part, { organizationId, from }: PartRequest): Promise<ArchivePosition | null> {
    const shown = this.data.tables.filter(({ statement }) => statement.withheld !== 'all');
    const begun = from ? shown.findIndex(({ name }) => name === from.table) : 0;
    // the position is in a table that this release no longer has
    if (begun < 0) throw new Error(`The archive cannot continue: there is no table ${from?.table}.`);
    for (const [index, table] of shown.entries()) {
      if (index < begun) continue;
      let after = index === begun ? (from?.after ?? null) : null;
      do {
        if (part.isFull) return { table: table.name, after };
        after = await this.#addPage(part, table, organizationId, after);
      } while (after);
      part.endTable();
    }
    return null;
  }

  /**
   * Adds the next rows of a table to a part. Returns the key of the last row if the table has more rows; otherwise
   * null.
   */
  async #addPage(part: Part, table: OrganizationRows, organizationId: string, after: RowKey | null): Promise<RowKey | null> {
    const { files } = table.statement;
    const limit = files ? PAGE_WITH_FILES : PAGE;
    const { rows, last } = await table.page(organizationId, after, limit);
    part.add(table.name, rows);
    for (const key of rows.flatMap((row) => files?.(JSON.parse(row)) ?? [])) {
      const content = await this.#read(key);
      if (content) part.addFile(key, content);
      else this.log.warn({ file: key, organization: organizationId }, 'a file that an export should hold is missing');
    }
    return rows.length < limit ? null : last;
  }

  async #read(key: string): Promise<Buffer | undefined> {
    const file = await this.files.open(key);
    return file && Buffer.concat(await file.stream.toArray());
  }
}

class Part {
  readonly #entries: Buffer[] = [];
  readonly counts: Record<string, number> = {};
  readonly #until = performance.now() + PART_MS;
  #table = '';
  #lines: string[] = [];
  #bytes = 0;

  constructor(private readonly request: Pick<PartRequest, 'number' | 'now'>) {}

  get isFull(): boolean {
    return this.#bytes >= PART_BYTES || performance.now() >= this.#until;
  }

  get entries(): readonly Buffer[] {
    this.endTable();
    return this.#entries;
  }

  add(table: string, rows: readonly string[]): void {
    this.#table = table;
    this.#lines.push(...rows);
    this.counts[table] = (this.counts[table] ?? 0) + rows.length;
    for (const row of rows) this.#bytes += row.length;
  }

  addFile(key: string, content: Buffer): void {
    this.#entries.push(tarEntry(`files/${key}`, content, this.request.now));
    this.#bytes += content.length;
  }

  endTable(): void {
    if (this.#lines.length === 0) return;
    const { number, now } = this.request;
    const name = `records/${this.#table.replace('.', '/')}/${String(number).padStart(6, '0')}.jsonl`;
    this.#entries.push(tarEntry(name, Buffer.from(`${this.#lines.join('\n')}\n`), now));
    this.#lines = [];
  }
}

const entryOf = (name: string, content: object, now: Date): Buffer =>
  tarEntry(name, Buffer.from(`${JSON.stringify(content, null, 2)}\n`), now);
